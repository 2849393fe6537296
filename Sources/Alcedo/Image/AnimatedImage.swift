import Foundation

/// The frames of an animation, made from the file's bytes as they are asked for.
///
/// A frame needs those before it. Frames that are asked for in order cost one decode each; one that lies further back
/// than those that are kept costs all from the first one on. Kept are the frame that was asked for last and those that
/// come next, up to ``DecodeLimits/animationBufferBytes``: they are made ahead of time, and an animation that has room
/// as a whole is decoded once. Besides those, there is the frame that the next one is drawn on.
///
/// To play it, show ``frame(at:)`` of ``frameIndex(at:)`` of the time that has passed.
public final class AnimatedImage: Sendable {
    /// Width and height of every frame, in pixels: the animation's own, unless the request had a target.
    public let size: PixelSize
    /// At least two.
    public var frameCount: Int { delays.count }
    /// How often the frames are shown.
    public let loopCount: LoopCount
    /// For how long each frame is shown: as the file says, but 100 ms where it says 10 ms or less, as browsers have it.
    public let delays: [Duration]
    /// For how long each frame is to be shown by what the file says, which may be no time at all.
    public var rawDelays: [Duration] { source.delays }
    /// For how long all frames are shown once: the sum of ``delays``.
    public var duration: Duration { ends.last ?? .zero }
    /// The memory it holds at most, in bytes: that of the file and of the frames that are kept.
    public let byteCount: Int

    /// When each frame has been shown, from the start of the animation on.
    private let ends: [Duration]
    private let source: any AnimationReading
    private let fitting: PictureFitting
    private let maker: FrameMaker

    convenience init(_ source: any AnimationReading, _ fitting: PictureFitting) {
        self.init(source, fitting, workers: nil)
    }

    /// - Parameter workers: nil for those that all animations share.
    init(_ source: any AnimationReading, _ fitting: PictureFitting, workers: WorkerThreads?) {
        self.source = source
        self.fitting = fitting
        size = fitting.size
        loopCount = source.loopCount
        delays = source.delays.map { $0 <= .milliseconds(10) ? .milliseconds(100) : $0 }
        var time = Duration.zero
        ends = delays.map {
            time += $0
            return time
        }
        let frameBytes = max(1, size.width * size.height * 4)
        let held = max(2, min(fitting.animationBufferBytes / frameBytes, delays.count))
        byteCount = source.byteCount + held * frameBytes + delays.count * 2 * MemoryLayout<Duration>.stride
        let room = Self.room(for: delays.count, held: held)
        let queue = FrameQueue<Bitmap>(count: delays.count, room: room, wraps: loopCount != .times(1))
        maker = FrameMaker(source, fitting, queue: queue, workers: workers)
    }

    /// How many frames are kept when `held` may be in memory: unless that is all of them, one is always being made.
    static func room(for count: Int, held: Int) -> Int { held >= count ? count : max(1, held - 1) }

    /// The frame that is shown when `time` has passed since the start of the first one: the first before that, and the
    /// last one when all loops are over. Costs a search by halves.
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

    /// The whole frame at `index`, which must be one from 0 to ``frameCount`` - 1: composed with those before it,
    /// premultiplied, upright and as large as ``size``.
    ///
    /// May be called from anywhere and by several at once, who share the work. Frames are made on threads beside the
    /// cooperative pool. Who is cancelled leaves at once.
    ///
    /// - Throws: ``ImageLoaderError/corruptImage(_:reason:)`` when this frame or one before it can't be read, for as
    ///   long as the animation lives, and ``ImageLoaderError/cancelled``.
    public func frame(at index: Int) async throws(ImageLoaderError) -> Bitmap {
        precondition(delays.indices.contains(index), "no frame \(index)")
        return try await maker.frame(at: index).get()
    }

    /// What makes all frames once more, for somebody who is not to disturb those that play it.
    func makeReader() -> FrameReader { FrameReader(source, fitting) }

    /// The file, if its frames are as large as it stores them and in its colours, turned as ``orientation`` says; nil
    /// otherwise, and where its bytes are not at hand.
    var unchangedFile: Data? { fitting.keepsSizeAndColors ? source.file : nil }

    /// How the frames have been turned.
    var orientation: Orientation { fitting.orientation }

    /// How many frames are kept.
    var keptFrameCount: Int { get async { await maker.keptCount } }
}
