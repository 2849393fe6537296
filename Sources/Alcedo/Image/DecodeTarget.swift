/// The size that a picture is scaled to, as it is shown upright. Its shape stays as it is.
public struct DecodeTarget: Sendable, Hashable {
    /// The room there is for it, in pixels; sides below 1 count as 1.
    public var size: PixelSize
    /// How it takes the room. Default: ``ContentMode/fit``.
    public var mode: ContentMode
    /// Whether a picture that is smaller is scaled up. Default: no.
    public var allowsUpscaling: Bool

    /// A target of these values.
    public init(_ size: PixelSize, mode: ContentMode = .fit, allowsUpscaling: Bool = false) {
        self.size = size
        self.mode = mode
        self.allowsUpscaling = allowsUpscaling
    }

    /// How a picture takes the room there is for it.
    public enum ContentMode: String, Sendable, Hashable, CaseIterable {
        /// The largest size of the picture's shape that lies inside the room: one side is that of the room, the other
        /// is rounded to the nearest pixel and at least 1.
        case fit
        /// The smallest size of the picture's shape that fills the room: one side is that of the room, the other is as
        /// long or longer, rounded to the nearest pixel. A picture that is smaller than the room one way stays as it
        /// is, unless it may be scaled up.
        case fill
        /// As ``fill``, with the middle cut out: exactly the room. A picture that is smaller than the room one way is
        /// only cut the other way, unless it may be scaled up.
        case crop
    }

    /// What is done to a picture: it is scaled, and then a part of it is taken.
    package struct Plan: Hashable {
        /// The whole picture, scaled.
        var size: PixelSize
        /// The part that is shown: its place and size in that.
        var x = 0
        var y = 0
        package var part: PixelSize

        var isWhole: Bool { part == size }
    }

    /// What is to be done to a picture of `original` pixels.
    package func plan(for original: PixelSize) -> Plan {
        let room = PixelSize(width: max(1, size.width), height: max(1, size.height))
        let whole =
            mode == .fit
            ? original.fitting(within: room, allowsUpscaling) : original.filling(room, allowsUpscaling)
        guard mode == .crop else { return Plan(size: whole, part: whole) }
        let part = PixelSize(width: min(room.width, whole.width), height: min(room.height, whole.height))
        return Plan(
            size: whole, x: (whole.width - part.width) / 2, y: (whole.height - part.height) / 2, part: part)
    }
}
