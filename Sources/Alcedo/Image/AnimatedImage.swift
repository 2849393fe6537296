public import Foundation

/// The frames of an animation, decoded on demand from the file's bytes.
///
/// Each frame depends on the ones before it. Requesting frames in order costs one decode each; requesting a frame that
/// lies before the buffered ones costs decoding all frames from the first one on. The buffer holds the frame requested
/// last and the ones that follow it, up to ``DecodeLimits/animationBufferBytes``. They are decoded ahead of time, and
/// an animation that fits in the buffer as a whole is decoded only once. In addition, the animation holds the canvas
/// that the next frame is drawn on.
///
/// To play the animation, show ``frame(at:)`` for the ``frameIndex(at:)`` of the elapsed time.
public final class AnimatedImage: Sendable {
    /// Width and height of every frame, in pixels: the animation's own size, unless the request had a target.
    public let size: PixelSize
    /// The number of frames, at least 2.
    public var frameCount: Int { delays.count }
    /// The number of times that the animation plays.
    public let loopCount: LoopCount
    /// The display time of each frame: the file's delay, or 100 ms if the file says 10 ms or less, as in browsers.
    public let delays: [Duration]
    /// The display time of each frame according to the file, which may be zero.
    public var rawDelays: [Duration] { source.delays }
    /// The duration of one loop: the sum of ``delays``.
    public var duration: Duration { ends.last ?? .zero }
    /// The ICC profile of the frames' colors, which has not been applied; nil if there is none. It is the same as the
    /// image's.
    public let profile: Data?
    /// The maximum memory that the animation holds, in bytes: the file and the buffered frames. With a ``FrameBudget``,
    /// it includes only the frames that the animation may always buffer.
    public let byteCount: Int

    /// The end of each frame's display, measured from the start of the animation.
    private let ends: [Duration]
    private let source: any AnimationReading
    private let fitting: FrameFitting
    let maker: FrameMaker

    /// - Parameter workers: nil for the threads that all animations share.
    convenience init(
        _ source: any AnimationReading, _ fitting: PictureFitting, profile: Data? = nil, workers: WorkerThreads? = nil
    ) {
        self.init(source, FrameFitting(fitting), profile, workers: workers)
    }

    private init(
        _ source: any AnimationReading, _ fitting: FrameFitting, _ profile: Data?, workers: WorkerThreads? = nil,
        budget: FrameBudget? = nil, loopCount: LoopCount? = nil
    ) {
        self.source = source
        self.profile = profile
        self.fitting = fitting
        size = fitting.size
        self.loopCount = loopCount ?? source.loopCount
        delays = source.delays.map { $0 <= .milliseconds(10) ? .milliseconds(100) : $0 }
        var time = Duration.zero
        ends = delays.map {
            time += $0
            return time
        }
        let frameBytes = max(1, size.width * size.height * 4)
        let limit = budget == nil ? fitting.picture.animationBufferBytes : FrameBudget.Share.least * frameBytes
        let held = max(2, min(limit / frameBytes, delays.count))
        byteCount = (source.file?.count ?? 0) + held * frameBytes + delays.count * 2 * MemoryLayout<Duration>.stride
        let room = Self.room(for: delays.count, held: held)
        let queue = FrameQueue<Bitmap>(count: delays.count, room: room, wraps: self.loopCount != .times(1))
        let share = budget?.share(frameBytes: frameBytes, frameCount: delays.count)
        maker = FrameMaker(source, fitting, queue: queue, workers: workers, share: share)
    }

    /// The number of frames to buffer when at most `held` may be in memory.
    ///
    /// Unless that covers all frames, one slot is reserved for the frame being decoded.
    static func room(for count: Int, held: Int) -> Int { held >= count ? count : max(1, held - 1) }

    /// The index of the frame to show when `time` has passed since the animation started.
    ///
    /// Returns 0 for a time before the start, and the index of the last frame after all loops have ended. Costs a
    /// binary search.
    public func frameIndex(at time: Duration) -> Int {
        guard time > .zero, duration > .zero else { return 0 }
        if case .times(let count) = loopCount, time.attoseconds / duration.attoseconds >= Int128(count) {
            return frameCount - 1
        }
        let passed = Duration(attoseconds: time.attoseconds % duration.attoseconds)
        var (low, high) = (0, frameCount - 1)
        while low < high {
            let middle = (low + high) / 2
            if passed < ends[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the complete frame at `index`: composed with the frames before it, premultiplied, upright and as large
    /// as ``size``.
    ///
    /// `index` must be from 0 to ``frameCount`` - 1. May be called from any isolation, even concurrently: concurrent
    /// callers share the work. Frames are decoded on threads outside the cooperative pool. A cancelled call throws
    /// immediately.
    ///
    /// - Throws: ``ImageLoaderError/cancelled``. If this frame or one before it can't be read or processed, this and
    ///   every later call throws ``ImageLoaderError/corruptImage(_:reason:)``,
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)``, ``ImageLoaderError/processingFailed(processor:_:)``, or
    ///   another ``ImageLoaderError`` of a processor.
    public func frame(at index: Int) async throws(ImageLoaderError) -> Bitmap {
        precondition(delays.indices.contains(index), "no frame \(index)")
        return try await maker.frame(maker.begin(index)).get()
    }

    /// Returns the same animation with its own buffer, which is part of `budget`.
    ///
    /// Otherwise, two players of one animation at different positions would make each other decode from the first frame
    /// on. Costs no decoding, and shares the file's bytes.
    public func buffered(in budget: FrameBudget) -> AnimatedImage { buffered(in: budget, loopCount: loopCount) }

    /// Returns the same animation with its own buffer and another loop count.
    func buffered(in budget: FrameBudget, loopCount: LoopCount) -> AnimatedImage {
        AnimatedImage(source, fitting, profile, budget: budget, loopCount: loopCount)
    }

    /// Returns the same animation with this color profile.
    func withProfile(_ profile: Data?) -> AnimatedImage {
        profile == self.profile ? self : AnimatedImage(source, fitting, profile)
    }

    /// Decodes no further frames ahead until the next request.
    func rest(keepingFrames: Bool) { maker.rest(keepingFrames: keepingFrames) }

    /// Creates a reader that decodes all frames again without disturbing playback.
    func makeReader() -> FrameReader { FrameReader(source, fitting) }

    /// Returns the same animation with a step that processes each frame when it is decoded.
    ///
    /// - Parameter size: The size of the processed frames.
    func processed(to size: PixelSize, _ step: @escaping FrameFitting.Step) -> AnimatedImage {
        AnimatedImage(source, fitting.followed(by: step, size: size), profile)
    }

    /// The file, if its frames are handed out in their stored size and colors, turned as ``orientation`` says.
    ///
    /// Nil otherwise, and when the file's bytes aren't available.
    var unchangedFile: Data? { fitting.keepsFrames ? source.file : nil }

    /// The orientation that was applied to the frames.
    var orientation: Orientation { fitting.picture.orientation }
}
