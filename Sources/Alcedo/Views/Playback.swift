/// Decides which frame of an animation is shown when.
///
/// Frames are numbered across all loops: with ten frames, number 10 is the first frame of the second loop.
struct Playback {
    /// The next frame, and when to show it.
    struct Step: Equatable {
        /// Which frame of the animation.
        var index: Int
        /// Across all loops.
        var number: Int
        /// In clock time; in the past for a frame that is late.
        var due: Duration
    }

    /// The end of each frame within a loop.
    private let ends: [Duration]
    /// The number of all frames of all loops; nil if it plays forever.
    private let count: Int?
    private var loop: Duration { ends.last ?? .zero }

    /// The position at a moment of clock time.
    private var anchor: (time: Duration, position: Duration)
    private(set) var rate = 1.0
    private(set) var isRunning = false
    /// The number of the frame that was shown or skipped last; nil before the first, and after a seek.
    private(set) var last: Int?
    /// Whether the last frame was skipped.
    private var hasSkipped = false
    /// How many frames were never shown because it was too late for them.
    private(set) var dropped = 0

    /// - Parameter delays: How long each frame is shown; all are positive.
    init(delays: [Duration], loopCount: LoopCount, at now: Duration) {
        var time = Duration.zero
        ends = delays.map {
            time += $0
            return time
        }
        count = if case .times(let loops) = loopCount { delays.count * max(1, loops) } else { nil }
        anchor = (now, .zero)
    }

    // MARK: Control

    mutating func run(at now: Duration) {
        guard !isRunning else { return }
        anchor.time = now
        isRunning = true
    }

    mutating func stop(at now: Duration) {
        guard isRunning else { return }
        anchor = (now, position(at: now))
        isRunning = false
    }

    mutating func setRate(_ rate: Double, at now: Duration) {
        anchor = (now, position(at: now))
        self.rate = rate
    }

    /// Continues at another position, in all loops.
    mutating func seek(to position: Duration, at now: Duration) {
        anchor = (now, max(.zero, limited(position)))
        last = nil
        hasSkipped = false
    }

    // MARK: Frames

    /// The time played, in all loops. At most the duration of all of them.
    func position(at now: Duration) -> Duration {
        limited(isRunning ? anchor.position + (now - anchor.time) * rate : anchor.position)
    }

    /// Whether the last frame of the last loop has been shown for its whole time.
    func isFinished(at now: Duration) -> Bool { count.map { position(at: now) >= start(of: $0) } ?? false }

    /// When ``isFinished(at:)`` becomes true; nil if never.
    var finish: Duration? { count.flatMap { moment(of: start(of: $0)) } }

    /// The next frame to show; nil after the last one. Frames whose time is over are skipped.
    mutating func next(at now: Duration) -> Step? {
        let current = number(at: position(at: now))
        guard let last else { return step(current) }
        var next = last + 1
        if let count, next >= count { return nil }
        if isRunning, current > next {
            dropped += current - next
            next = current
        }
        return step(next)
    }

    /// Whether to show a frame now that it is decoded and due. If its time is over meanwhile, it is skipped, but never
    /// two in a row: a decoder that is too slow for the animation would show nothing at all.
    mutating func shows(_ step: Step, at now: Duration) -> Bool {
        last = step.number
        hasSkipped = isRunning && !hasSkipped && number(at: position(at: now)) > step.number
        if hasSkipped { dropped += 1 }
        return !hasSkipped
    }

    // MARK: Arithmetic

    /// The number of the frame at a position. The last frame stays after the end.
    private func number(at position: Duration) -> Int {
        let loops = Int(position.attoseconds / loop.attoseconds)
        let rest = Duration(attoseconds: position.attoseconds % loop.attoseconds)
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if rest < ends[middle] { high = middle } else { low = middle + 1 }
        }
        let number = loops * ends.count + low
        return count.map { min(number, $0 - 1) } ?? number
    }

    func start(of number: Int) -> Duration {
        let (loops, index) = number.quotientAndRemainder(dividingBy: ends.count)
        return loop * loops + (index == 0 ? .zero : ends[index - 1])
    }

    private func step(_ number: Int) -> Step {
        Step(index: number % ends.count, number: number, due: moment(of: start(of: number)) ?? anchor.time)
    }

    /// The clock time of a position; nil if it isn't reached because playback stands still.
    private func moment(of position: Duration) -> Duration? {
        guard isRunning, rate > 0 else { return nil }
        let distance = position - anchor.position
        return anchor.time + (rate == 1 ? distance : distance / rate)
    }

    private func limited(_ position: Duration) -> Duration {
        count.map { min(position, start(of: $0)) } ?? position
    }
}
