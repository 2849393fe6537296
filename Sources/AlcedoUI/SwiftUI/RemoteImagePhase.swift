#if canImport(SwiftUI)
public import Alcedo
public import SwiftUI

/// The state of a ``RemoteImage``, and the content to draw.
@MainActor public struct RemoteImagePhase {
    /// The state of the load.
    public let state: ImageSlot.Phase
    /// The content that the slot shows: the loaded image, a preview or a placeholder.
    public let shown: ImageSlot.Picture
    /// Counts the changes of the content.
    let number: Int
    let scale: Double
    /// Describes the image to people who can't see it.
    let label: Text?
    private let slot: ImageSlot

    init(
        _ slot: ImageSlot, state: ImageSlot.Phase, shown: ImageSlot.Picture, number: Int, scale: Double, label: Text?
    ) {
        self.slot = slot
        self.state = state
        self.shown = shown
        self.number = number
        self.scale = scale
        self.label = label
    }

    /// The content to draw, as a view: the image, a preview or a placeholder.
    public var picture: Image? {
        if let image = shown.image { return Image(image, label: label) }
        return shown.bitmap.flatMap { Image($0, scale: scale, label: label) }
    }

    /// The loaded image; nil while there is none. For an animation, the first frame.
    public var image: Image? { shown.image.flatMap { Image($0, label: label) } }

    /// The error, if the load has failed.
    public var error: ImageLoaderError? { state.error }

    /// The share of the bytes received so far, from 0 to 1; nil if nothing is being loaded or the total isn't known.
    public var fraction: Double? { if case .loading(let loading) = state { loading.fraction } else { nil } }

    /// Loads the image again: after a failure, or to ask the server whether it has changed.
    public func reload() { slot.reload() }
}
#endif
