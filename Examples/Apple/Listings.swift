import Alcedo
import AlcedoUI
import SwiftUI

// The listings in the documentation.

struct AvatarView: View {
    let url: URL?
    @Binding var isLoaded: Bool

    var body: some View {
        // region: modifiers
        // region: placeholder
        RemoteImage(url) { image in
            image.resizable().scaledToFill()
        } placeholder: {
            ProgressView()
        }
        // endregion
        .processors([CircleProcessor()])
        .priority(.high)
        .imageLabel(Text("Portrait"))
        .onCompletion { result in
            if case .success = result { isLoaded = true }
        }
        // endregion
    }
}

struct PhotoView: View {
    let url: URL?

    var body: some View {
        // region: remote image
        RemoteImage(url) { phase in
            if let picture = phase.picture {
                picture.resizable().scaledToFill()
            } else {
                ProgressView()
            }
        }
        // endregion
    }
}

// region: first view
struct CoverView: View {
    let url: URL

    var body: some View {
        RemoteImage(url) { phase in
            if let picture = phase.picture {
                picture.resizable().scaledToFit()
            } else {
                ProgressView(value: phase.fraction)
            }
        }
    }
}
// endregion

// region: cookbook row
struct PhotoRow: View {
    let url: URL
    let title: String
    @Environment(\.displayScale) private var displayScale

    private var request: ImageRequest {
        var request = ImageRequest(url: url)
        let side = Int(60 * displayScale)  // in pixels
        request.targetSize = PixelSize(width: side, height: side)
        request.contentMode = .crop
        request.scale = .factor(displayScale)
        return request
    }

    var body: some View {
        HStack {
            RemoteImage(request) { phase in
                if phase.error != nil {
                    Button("Try again") { phase.reload() }
                } else if let picture = phase.picture {
                    picture.resizable().scaledToFill()
                } else {
                    ProgressView()
                }
            }
            .frame(width: 60, height: 60)
            .clipped()
            Text(title)
        }
    }
}
// endregion

@MainActor func choose(small: URL, large: URL, network: NetworkWatcher) -> URL {
    var settings = ViewImageSettings()
    defer { print(settings) }
    // region: network
    // Failed loads are retried when there is a connection again.
    settings.slot.connectivity = network.connectivity
    let url = network.isConstrained ? small : large
    // endregion
    return url
}

#if canImport(UIKit)
@MainActor func show(_ url: URL, in imageView: UIImageView, and button: UIButton) {
    // region: image view
    imageView.alcedo.setImage(with: url)
    imageView.alcedo.setHighlightedImage(with: url)
    button.alcedo.setImage(with: url, for: .selected)
    // endregion
    // region: view settings
    var settings = ViewImageSettings()
    settings.placeholderImage = UIImage(systemName: "photo")
    // No flash of a placeholder for what the disk has.
    settings.slot.placeholderDelay = .milliseconds(100)
    settings.slot.keepsCurrent = true  // until the next image is there
    imageView.alcedo.setImage(with: url, settings: settings) { slot in
        if case .failure(let error) = slot.phase { print(error) }
    }
    // endregion
}

@MainActor func showByHand(_ url: URL, in imageView: UIImageView) {
    // region: sets no image
    var settings = ViewImageSettings()
    settings.setsImage = false
    imageView.alcedo.setImage(with: url, settings: settings) { [weak imageView] slot in
        if case .success(let response) = slot.phase {
            imageView?.image = response.image.uiImage
        }
    }
    // endregion
}

// region: other view
final class BadgeView: UIView {
    var badge: UIImage?
}

extension BadgeView {
    var alcedo: ViewSlot<BadgeView> { ViewSlot(self) { $0.badge = $1 } }
}
// endregion
#endif
