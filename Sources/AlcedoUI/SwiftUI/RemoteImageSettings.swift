#if canImport(SwiftUI)
public import Alcedo
public import SwiftUI

/// The settings for loading and showing the image of a ``RemoteImage``.
public struct RemoteImageSettings {
    /// The settings of the view's slot, such as placeholders and their delay, previews, stale images, the previous
    /// image, and the priority of hidden views. Changes apply to the next request.
    public var slot = ImageSlot.Settings()
    /// The loader of the image. A view keeps its first loader.
    public var loader: ImageLoader
    /// The animation with which a loaded image appears. Default: a short fade. `ImageSlot.Settings.transition`
    /// decides when it applies; by default, not to an image that was in memory.
    public var animation: Animation? = .easeInOut(duration: 0.25)
    /// Describes the image to people who can't see it. Also given to previews and placeholders. Default: nil, for a
    /// decorative image, which VoiceOver skips.
    public var label: Text?
    /// Whether the load is cancelled when the view disappears, and started again when it appears. Default: false, which
    /// only lowers the load's priority. When SwiftUI discards the view, the load is cancelled in any case.
    public var cancelsOnDisappear = false
    /// Called after each change of the slot's `phase` or `shown`, for effects other than drawing. Default: nil.
    public var onChange: (@MainActor (ImageSlot) -> Void)?
    /// Called when a load has ended.
    var completions: [LoadEndings.Action] = []

    /// Creates default settings.
    ///
    /// - Parameter loader: The loader of the image.
    public init(_ loader: ImageLoader = .shared) { self.loader = loader }
}
#endif
