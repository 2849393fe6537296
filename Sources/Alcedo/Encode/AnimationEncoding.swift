public import Foundation

/// A codec that writes animations of one format. The counterpart of ``AnimationReading``.
///
/// Frames are taken one by one, so they need not be in memory at the same time; only the resulting file is. Calls are
/// synchronous and take as long as the frames need, so make them on threads that may block.
public protocol AnimationEncoding: Sendable {
    /// The format that this codec writes.
    var format: ImageFormat { get }

    /// Distinguishes the files of this encoder from the files of others; see ``FileEncoding/identity``.
    var identity: String { get }

    /// Creates a writer for one animation, whose colors are taken as sRGB.
    ///
    /// - Parameters:
    ///   - size: width and height of every frame, in pixels.
    ///   - loopCount: how many times the animation plays, at least once. If the format supports only fewer times, it
    ///     plays as many times as possible.
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` when the format doesn't support a setting or the size,
    ///   or the loop count is below 1.
    func makeWriter(size: PixelSize, loopCount: LoopCount) throws(ImageLoaderError) -> sending any AnimationWriting

    /// Creates a writer for one animation, whose frames have the colors of an ICC profile.
    ///
    /// The profile is written or the colors are converted, as ``ImageEncoding/encode(_:)-(DecodedImage)`` does for a
    /// still image. The default implementation converts each frame to sRGB and passes it to a writer that
    /// ``makeWriter(size:loopCount:)`` creates.
    ///
    /// - Parameters:
    ///   - size: width and height of every frame, in pixels.
    ///   - loopCount: as for ``makeWriter(size:loopCount:)``.
    ///   - profile: nil for sRGB.
    /// - Throws: as ``makeWriter(size:loopCount:)`` does, and ``ImageLoaderError/unsupportedConfiguration(_:)`` when
    ///   the colors have to be converted, which requires the trait `ColorProfiles` on Linux.
    func makeWriter(
        size: PixelSize, loopCount: LoopCount, profile: Data?
    ) throws(ImageLoaderError) -> sending any AnimationWriting
}

/// Writes one animation, frame by frame.
///
/// Used by one thread at a time.
public protocol AnimationWriting {
    /// Adds a frame. The writer keeps only what it compares the next frame with. A delay longer than the format
    /// supports is shortened to the longest one.
    ///
    /// After an error, no more frames can be added, and no file can be created.
    ///
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` for a frame of a different size and for a negative
    ///   delay, and ``ImageLoaderError/limitExceeded(_:value:allowed:)`` for more frames than the default of
    ///   ``DecodeLimits/frames``.
    mutating func append(_ frame: AnimationFrame) throws(ImageLoaderError)

    /// Returns the bytes of the file. Called once, after the last frame.
    ///
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` when there was no frame, and any error that
    ///   ``append(_:)`` threw.
    mutating func finish() throws(ImageLoaderError) -> Data
}

/// One complete frame of an animation, and its display time.
public struct AnimationFrame: Sendable {
    /// The complete visible content, independent of the previous frame.
    public var bitmap: Bitmap
    /// The display time of the frame. Browsers use 100 ms for delays of 10 ms or less.
    public var delay: Duration

    /// Creates a frame.
    public init(_ bitmap: Bitmap, delay: Duration) {
        self.bitmap = bitmap
        self.delay = delay
    }
}

extension AnimationEncoding {
    public func makeWriter(
        size: PixelSize, loopCount: LoopCount, profile: Data?
    ) throws(ImageLoaderError) -> sending any AnimationWriting {
        let colors = try WrittenColors(profile, room: 0)
        return ConvertingWriter(try makeWriter(size: size, loopCount: loopCount), colors)
    }

    /// Returns the bytes of a file that shows `frames`.
    ///
    /// Frames are taken one by one, so a lazy sequence creates each frame only when it is needed.
    ///
    /// - Parameters:
    ///   - frames: at least one; all of the same size.
    ///   - loopCount: how many times the animation plays. Default: ``LoopCount/forever``.
    ///   - profile: the ICC profile of the frames' colors; nil, the default, for sRGB.
    /// - Throws: ``ImageLoaderError/encodingFailed(_:reason:)`` when there are no frames, and as ``AnimationWriting``
    ///   does.
    public func encode(
        _ frames: some Sequence<AnimationFrame>, loopCount: LoopCount = .forever, profile: Data? = nil
    ) throws(ImageLoaderError) -> Data {
        var frames = frames.makeIterator()
        guard let first = frames.next() else { throw .encodingFailed(format, reason: "no frames") }
        var writer = try makeWriter(size: first.bitmap.size, loopCount: loopCount, profile: profile)
        try writer.append(first)
        while let next = frames.next() { try writer.append(next) }
        return try writer.finish()
    }

    /// Returns the bytes of a file that shows `animation` in its colors.
    ///
    /// Works on threads outside the cooperative pool and decodes the frames again, one at a time, so playback of the
    /// animation isn't held up. A cancelled call throws immediately.
    ///
    /// - Parameters:
    ///   - animation: the animation to encode.
    ///   - delays: the display time of each frame; nil, the default, for the animation's ``AnimatedImage/delays``.
    ///   - loopCount: how many times the animation plays; nil, the default, for the animation's own count.
    /// - Throws: as ``AnimatedImage/frame(at:)`` and ``AnimationWriting`` do, and
    ///   ``ImageLoaderError/encodingFailed(_:reason:)`` when the number of delays isn't the number of frames.
    public func encode(
        _ animation: AnimatedImage, delays: [Duration]? = nil, loopCount: LoopCount? = nil
    ) async throws(ImageLoaderError) -> Data {
        let delays = delays ?? animation.delays
        guard delays.count == animation.frameCount else {
            throw .encodingFailed(format, reason: "\(delays.count) delays for \(animation.frameCount) frames")
        }
        let job = try AnimationJob(
            animation, delays: delays, loopCount: loopCount, profile: animation.profile, self)
        return try await job.run()
    }
}
