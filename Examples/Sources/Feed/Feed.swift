public import Alcedo
public import Foundation

/// The model of a feed of images: each row has a placeholder until its image is there, and keeps it after a failure.
@MainActor public final class Feed {
    public enum Row: Equatable {
        case placeholder
        case image(PixelSize)
        case failed(ImageLoaderError.Kind)
    }

    public private(set) var rows: [Row]
    private let urls: [URL]
    private let loader: ImageLoader
    private var loads: [Int: Task<Void, Never>] = [:]

    public init(_ urls: [URL], loader: ImageLoader) {
        self.urls = urls
        self.loader = loader
        rows = urls.map { _ in .placeholder }
    }

    /// A row comes onto the screen.
    public func appear(_ row: Int) {
        // An image in memory is there in the same frame.
        if let image = loader.cachedImage(for: urls[row]) {
            rows[row] = .image(image.size)
            return
        }
        loads[row] = Task {
            do throws(ImageLoaderError) {
                rows[row] = .image(try await loader.image(for: urls[row]).size)
            } catch {
                if error != .cancelled { rows[row] = .failed(error.kind) }
            }
        }
    }

    /// A row leaves the screen: nobody waits for its image any more.
    public func disappear(_ row: Int) { loads.removeValue(forKey: row)?.cancel() }

    /// Waits until the row's load has ended.
    public func settle(_ row: Int) async { await loads[row]?.value }
}
