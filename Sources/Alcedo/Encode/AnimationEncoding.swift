public import Foundation

/// A codec: writes animations of one format. The counterpart of ``AnimationReading``.
///
/// Frames are taken one after the other, so that they need not be in memory together; only the file that comes of them
/// is. Calls are synchronous and take as long as the frames need, so they belong on threads that may be kept busy.
public protocol AnimationEncoding: Sendable {
    /// The format it writes.
    var format: ImageFormat { get }

    /// Something that writes one animation.
    ///
    /// - Parameters:
    ///   - size: width and height of every frame, in pixels.
    ///   - loopCount: how often the frames are shown.
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` when a setting, the size or the count is not one of the
    ///   format.
    func makeWriter(
        size: PixelSize, loopCount: LoopCount
    ) throws(ImageLoaderError) -> sending any AnimationWriting
}

/// Writes one animation, frame after frame. Is used by one thread at a time.
public protocol AnimationWriting {
    /// Adds a frame; holds no more of it than the next one is compared with.
    ///
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` for a frame of another size and for a delay that is
    ///   negative or longer than the format can tell, and ``ImageLoaderError/limitExceeded(_:value:allowed:)`` for more
    ///   frames than ``DecodeLimits/frames`` by default. Nothing can be added after that, and no file
    ///   comes of it.
    mutating func append(_ frame: AnimationFrame) throws(ImageLoaderError)

    /// The bytes of the file. Is called once, after the last frame.
    ///
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` when there was no frame, and what ``append(_:)`` threw.
    mutating func finish() throws(ImageLoaderError) -> Data
}

/// One whole frame of an animation, and for how long it is shown.
public struct AnimationFrame: Sendable {
    /// What is seen, all of it, whatever the frame before was.
    public var bitmap: Bitmap
    /// For how long. Browsers show for 100 ms what is to be shown for 10 ms or less.
    public var delay: Duration

    /// A frame.
    public init(_ bitmap: Bitmap, delay: Duration) {
        self.bitmap = bitmap
        self.delay = delay
    }
}

extension AnimationEncoding {
    /// The bytes of a file that shows `frames`, which are taken one after the other: a lazy sequence makes each when it
    /// is its turn.
    ///
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` when there are none, and as ``AnimationWriting`` does.
    public func encode(
        _ frames: some Sequence<AnimationFrame>, loopCount: LoopCount = .forever
    ) throws(ImageLoaderError) -> Data {
        var frames = frames.makeIterator()
        guard let first = frames.next() else { throw .encodingFailed(format, reason: "no frames") }
        var writer = try makeWriter(size: first.bitmap.size, loopCount: loopCount)
        try writer.append(first)
        while let next = frames.next() { try writer.append(next) }
        return try writer.finish()
    }

    /// The bytes of a file that shows `animation`, with its ``AnimatedImage/delays``.
    ///
    /// Works on threads beside the cooperative pool, and decodes the frames once more, one at a time: whoever plays the
    /// animation meanwhile is not held up. Who is cancelled leaves at once.
    ///
    /// - Throws: as ``AnimatedImage/frame(at:)`` and ``AnimationWriting`` do.
    public func encode(_ animation: AnimatedImage) async throws(ImageLoaderError) -> Data {
        try await AnimationJob(animation, delays: animation.delays, self).run()
    }
}
