/// Plays an animation: calls a function with each frame when the frame is due.
///
/// ```swift
/// let player = AnimationPlayer(animation) { frame in draw(frame.bitmap) }
/// ```
///
/// Each frame is shown for its own delay. A frame whose time has passed before it is decoded is skipped. If the whole
/// program was suspended, playback continues with the frame that is due now, and never shows several frames in a row to
/// catch up. The next frames are decoded ahead, outside the cooperative pool, within a ``FrameBudget`` that players
/// share. Players that share a budget and a clock also share a timer, so a frame may be shown up to 2 ms early,
/// together with another player's frame.
///
/// A player plays until its last loop has ended or it is released. Keep it as long as the view. However long `onFrame`
/// takes, other work of the main actor runs between two frames.
@MainActor
public final class AnimationPlayer {
    /// A frame to show.
    public struct Frame: Sendable {
        /// The complete frame, as large as ``AnimatedImage/size``.
        public let bitmap: Bitmap
        /// The index of the frame in the animation, from 0.
        public let index: Int
        /// The number of the repetition, from 0.
        public let loop: Int
        /// The delay beyond the intended time. Zero for a frame that is shown while playback is stopped.
        public let lateness: Duration
    }

    /// Counts of the frames that a player has shown.
    public struct Statistics: Sendable, Hashable {
        /// The number of frames shown.
        public internal(set) var shownFrames = 0
        /// The number of frames that were skipped because they were late.
        public internal(set) var droppedFrames = 0
        /// The longest ``Frame/lateness``.
        public internal(set) var maximumLateness = Duration.zero
    }

    /// The animation that is played.
    public let animation: AnimatedImage
    /// Called once when the last loop has ended, or when a frame can't be decoded, with the error. Default: nil.
    public var onEnd: (@MainActor (ImageLoaderError?) -> Void)?

    private let buffered: AnimatedImage
    private let timer: FrameTimer
    private var time: TimeSource { timer.time }
    private let onFrame: @MainActor (Frame) -> Void
    private var playback: Playback
    private var counts = Statistics()
    private var work: Task<Void, Never>?
    private var hasEnded = false

    /// Starts to play an animation.
    ///
    /// - Parameters:
    ///   - animation: The animation. Its frames are decoded into the player's own buffer.
    ///   - firstFrame: The first frame, such as ``DecodedImage/bitmap``. If it isn't nil, `onFrame` is called with it
    ///     before the initializer returns. Default: nil, which decodes it.
    ///   - loopCount: The number of times to play, at least 1. Default: nil, which is ``AnimatedImage/loopCount``.
    ///   - budget: Limits the buffers of all players that share it. Default: that of the process.
    ///   - clock: Times the frames. Its `sleep` must not throw unless it is cancelled.
    ///   - onFrame: Called with each frame when the frame is due.
    public init(
        _ animation: AnimatedImage, firstFrame: Bitmap? = nil, loopCount: LoopCount? = nil,
        budget: FrameBudget = .shared, clock: any Clock<Duration> = ContinuousClock(),
        onFrame: @escaping @MainActor (Frame) -> Void
    ) {
        if case .times(let times) = loopCount { precondition(times > 0, "no animation plays \(times) times") }
        self.animation = animation
        self.onFrame = onFrame
        timer = budget.timer(for: clock)
        buffered = animation.buffered(in: budget, loopCount: loopCount ?? animation.loopCount)
        let now = timer.time.now()
        playback = Playback(delays: animation.delays, loopCount: buffered.loopCount, at: now)
        playback.run(at: now)
        if let firstFrame, let step = playback.next(at: now), playback.shows(step, at: now) {
            take(firstFrame, step, now)
        }
        play()
    }

    deinit {
        work?.cancel()
        // The Task holds the buffer until its next turn on the main actor.
        buffered.rest(keepingFrames: false)
    }

    // MARK: State

    /// The index of the frame shown last; nil before the first.
    public private(set) var frameIndex: Int?

    /// The time played in the current loop, from zero to ``AnimatedImage/duration``.
    public var position: Duration { playback.positionInLoop(at: time.now()) }

    /// Whether the last loop has ended, or a frame couldn't be decoded.
    public var isFinished: Bool { hasEnded }

    /// Counts of the frames so far.
    public var statistics: Statistics {
        var counts = counts
        counts.droppedFrames = playback.dropped
        return counts
    }

    // MARK: Control

    /// Whether playback is paused. Buffered frames are kept, and no more are decoded. Default: false.
    ///
    /// If other players need the memory, the buffer is emptied. The frames before the current one are then decoded
    /// again when playback continues.
    public var isPaused = false { didSet { if isPaused != oldValue { control() } } }

    /// Whether the frames can be seen. While they can't, playback is stopped, nothing is decoded, and the buffer is
    /// empty. Default: true.
    ///
    /// When they can be seen again, the frames before the current one are decoded again.
    public var isVisible = true { didSet { if isVisible != oldValue { control() } } }

    /// The speed: 2 plays twice as fast, and 0 stops playback. Default: 1.
    ///
    /// Must be 0, or from 0.001 to 1,000.
    public var rate = 1.0 {
        didSet {
            precondition(rate == 0 || (0.001...1_000).contains(rate), "no animation plays at the rate \(rate)")
            playback.setRate(rate, at: time.now())
            control()
        }
    }

    /// Continues at `position` in the first loop, and shows the frame there, even while paused.
    ///
    /// To reach a frame before the buffered ones, decoding starts again at the first frame.
    ///
    /// - Parameter position: A position beyond the duration is in a later loop; one below zero is the start.
    public func seek(to position: Duration) {
        hasEnded = false
        playback.seek(to: position, at: time.now())
        control()
    }

    /// Continues at the start of the frame at `index`; see ``seek(to:)``. That frame must exist.
    public func seek(toFrame index: Int) {
        precondition(animation.delays.indices.contains(index), "no frame \(index)")
        seek(to: playback.start(of: index))
    }

    private func control() {
        let now = time.now()
        if isPaused || !isVisible || rate == 0 || hasEnded { playback.stop(at: now) } else { playback.run(at: now) }
        play()
    }

    // MARK: Playing

    private func play() {
        work?.cancel()
        work = nil
        // After a seek, the frame there is shown even if playback is stopped.
        guard !hasEnded, isVisible, playback.isRunning || playback.last == nil else {
            return buffered.rest(keepingFrames: isVisible && !hasEnded)
        }
        work = Task { [weak self, maker = buffered.maker, timer] in
            while let step = self?.nextStep() {
                do throws(ImageLoaderError) {
                    // The frame is decoded while the player sleeps, which it does once per frame.
                    let request = maker.begin(step.index)
                    if step.due > timer.time.now() {
                        await timer.sleep(until: step.due) { maker.withdraw(request) }
                    } else if request.isAnswered {
                        // The main actor's other work comes first: it may have waited for a long `onFrame`.
                        await Task.yield()
                    }
                    let bitmap = try await maker.frame(request).get()
                    guard let self, !Task.isCancelled, show(bitmap, step) else { return }
                } catch {
                    if !Task.isCancelled { self?.end(error) }
                    return
                }
            }
            await Self.finish(timer, self?.playback.finish) { [weak self] in self?.end(nil) }
        }
    }

    private func nextStep() -> Playback.Step? { playback.next(at: time.now()) }

    /// Returns whether another frame follows.
    private func show(_ bitmap: Bitmap, _ step: Playback.Step) -> Bool {
        let now = time.now()
        if playback.shows(step, at: now) { take(bitmap, step, now) }
        if !playback.isRunning { buffered.rest(keepingFrames: true) }
        return playback.isRunning
    }

    private func take(_ bitmap: Bitmap, _ step: Playback.Step, _ now: Duration) {
        let late = playback.isRunning ? max(.zero, now - step.due) : .zero
        counts.shownFrames += 1
        counts.maximumLateness = max(counts.maximumLateness, late)
        frameIndex = step.index
        onFrame(Frame(bitmap: bitmap, index: step.index, loop: step.number / animation.frameCount, lateness: late))
    }

    /// Waits until the last frame has been shown for its full delay.
    private static func finish(
        _ timer: FrameTimer, _ moment: Duration?, _ end: @MainActor () -> Void
    ) async {
        guard let moment, !Task.isCancelled else { return }
        if moment > timer.time.now() { await timer.sleep(until: moment) }
        if !Task.isCancelled { end() }
    }

    private func end(_ error: ImageLoaderError?) {
        guard !hasEnded else { return }
        hasEnded = true
        // The timer may have fired slightly early.
        playback.stop(at: error == nil ? max(time.now(), playback.finish ?? .zero) : time.now())
        buffered.rest(keepingFrames: false)
        onEnd?(error)
    }
}
