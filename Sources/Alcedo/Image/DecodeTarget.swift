/// The size to scale an image to, measured on the upright image. The aspect ratio is preserved.
public struct DecodeTarget: Sendable, Hashable {
    /// The bounds in pixels; sides below 1 count as 1.
    public var size: PixelSize
    /// The way the image is placed in the bounds. Default: ``ContentMode/fit``.
    public var mode: ContentMode
    /// Whether a smaller image is scaled up. Default: false.
    public var allowsUpscaling: Bool
    /// The part that ``ContentMode/crop`` keeps. Default: ``CropAnchor/center``.
    public var anchor: CropAnchor
    /// The part of the upright image to scale; pixels outside the image are left out. Default: nil, the whole image.
    ///
    /// A part that lies completely outside the image causes ``ImageLoaderError/unsupportedConfiguration(_:)``.
    public var region: PixelRectangle?

    /// Creates a target with these values.
    public init(
        _ size: PixelSize, mode: ContentMode = .fit, allowsUpscaling: Bool = false, anchor: CropAnchor = .center,
        region: PixelRectangle? = nil
    ) {
        self.size = size
        self.mode = mode
        self.allowsUpscaling = allowsUpscaling
        self.anchor = anchor
        self.region = region
    }

    /// The way an image is placed in the bounds.
    public enum ContentMode: String, Sendable, Hashable, CaseIterable {
        /// The largest size with the image's aspect ratio that fits inside the bounds: one side equals that of the
        /// bounds, the other is rounded to the nearest pixel and at least 1.
        case fit
        /// The smallest size with the image's aspect ratio that covers the bounds: one side equals that of the bounds,
        /// the other is at least as long as that of the bounds, rounded to the nearest pixel.
        ///
        /// An image that is smaller than the bounds in one dimension keeps its size, unless upscaling is allowed.
        case fill
        /// Like ``fill``, and cropped to exactly the bounds, by default to the center.
        ///
        /// An image that is smaller than the bounds in one dimension is only cropped in the other, unless upscaling is
        /// allowed.
        case crop
    }

    /// The steps for one image: scale it, then crop it.
    package struct Plan: Hashable {
        /// The size of the whole image after scaling.
        var size: PixelSize
        /// The part to show: its position and size within the scaled image.
        var x = 0
        var y = 0
        package var part: PixelSize
        /// Whether the pixels decide where the part is.
        var isOpen = false

        var isWhole: Bool { part == size }
    }

    /// The steps for an image of `original` pixels, or for its region.
    package func plan(for original: PixelSize) -> Plan {
        let original = region.map { $0.clipped(to: original)?.size ?? $0.size.atLeastOne } ?? original
        let room = PixelSize(width: max(1, size.width), height: max(1, size.height))
        let whole =
            mode == .fit
            ? original.fitting(within: room, allowsUpscaling) : original.filling(room, allowsUpscaling)
        guard mode == .crop else { return Plan(size: whole, part: whole) }
        let part = PixelSize(width: min(room.width, whole.width), height: min(room.height, whole.height))
        let place = anchor.place(part, in: whole)
        return Plan(size: whole, x: place?.x ?? 0, y: place?.y ?? 0, part: part, isOpen: place == nil)
    }
}
