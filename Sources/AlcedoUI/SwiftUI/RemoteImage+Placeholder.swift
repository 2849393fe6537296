#if canImport(SwiftUI)
public import Alcedo
public import Foundation
public import SwiftUI

extension RemoteImage {
    /// Creates a view of a request's image, and of `placeholder` until there is one.
    ///
    /// ```swift
    /// RemoteImage(url) { image in
    ///     image.resizable().scaledToFill()
    /// } placeholder: {
    ///     ProgressView()
    /// }
    /// ```
    ///
    /// Previews and the placeholders of `settings` are shown as images are.
    ///
    /// - Parameters:
    ///   - request: The image to load; nil for none.
    ///   - settings: The settings for loading and showing the image.
    ///   - content: Makes the view of the image.
    ///   - placeholder: Makes the view shown while there is no image, and after a failure.
    public init<Picture: View, Waiting: View>(
        _ request: ImageRequest?, settings: RemoteImageSettings = RemoteImageSettings(),
        @ViewBuilder content: @escaping (Image) -> Picture, @ViewBuilder placeholder: @escaping () -> Waiting
    ) where Content == RemoteImageChoice<Picture, Waiting> {
        self.init(request, settings: settings) { phase in
            RemoteImageChoice(picture: phase.picture, content: content, placeholder: placeholder)
        }
    }

    /// Creates a view of the image at a URL, and of `placeholder` until there is one; see
    /// ``init(_:settings:content:placeholder:)-(ImageRequest?,_,_,_)``.
    public init<Picture: View, Waiting: View>(
        _ url: URL?, settings: RemoteImageSettings = RemoteImageSettings(),
        @ViewBuilder content: @escaping (Image) -> Picture, @ViewBuilder placeholder: @escaping () -> Waiting
    ) where Content == RemoteImageChoice<Picture, Waiting> {
        self.init(url.map { ImageRequest(url: $0) }, settings: settings, content: content, placeholder: placeholder)
    }
}

/// The image of a ``RemoteImage``, or what is shown in its place.
public struct RemoteImageChoice<Picture: View, Waiting: View>: View {
    let picture: Image?
    let content: (Image) -> Picture
    let placeholder: () -> Waiting

    /// The content for the image if there is one, and the placeholder otherwise.
    public var body: some View {
        if let picture { content(picture) } else { placeholder() }
    }
}
#endif
