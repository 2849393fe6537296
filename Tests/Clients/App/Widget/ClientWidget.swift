import Alcedo
import AlcedoUI
import Foundation
import SwiftUI
import WidgetKit

/// Shows an image that its provider has loaded: the views of a widget are drawn once, so they can't load it themselves.
@main
struct ClientWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "client", provider: ImageProvider()) { entry in EntryView(entry: entry) }
    }
}

struct ImageEntry: TimelineEntry {
    let date = Date()
    var image: DecodedImage?
}

struct EntryView: View {
    let entry: ImageEntry

    var body: some View {
        if let picture = entry.image.flatMap({ Image($0) }) { picture.resizable().scaledToFit() } else { Color.clear }
    }
}

struct ImageProvider: TimelineProvider {
    func placeholder(in context: Context) -> ImageEntry { ImageEntry() }

    func getSnapshot(in context: Context, completion: @escaping @Sendable (ImageEntry) -> Void) {
        Task { completion(await loadEntry()) }
    }

    func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<ImageEntry>) -> Void) {
        Task { completion(Timeline(entries: [await loadEntry()], policy: .never)) }
    }

    private func loadEntry() async -> ImageEntry {
        guard let url = URL(string: "https://example.com/image.jpg") else { return ImageEntry() }
        var request = ImageRequest(url: url)
        request.targetSize = .width(200)
        do throws(ImageLoaderError) {
            return ImageEntry(image: try await ImageLoader.shared.image(for: request))
        } catch {
            return ImageEntry()
        }
    }
}
