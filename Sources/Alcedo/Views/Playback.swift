/// Determines which frame of an animation is shown at which time.
///
/// Frames are numbered across all loops: with ten frames, number 10 is the first frame of the second loop.
struct Playback {
    /// The next frame, and when to show it.
    struct Step: Equatable {
        /// The index of the frame in the animation.
        var index: Int
        /// The number of the frame, across all loops.
        var number: Int
        /// The clock time at which the frame is due; in the past for a late frame.
        var due: Duration
    }

    /// The end of each frame within a loop.
    private let ends: [Duration]
    /// The number of frames in all loops; nil if it plays forever.
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
    /// The number of frames that were skipped because they were late.
    private(set) var dropped = 0

    /// - Parameter delays: The delay of each frame, greater than zero.
    init(delays: [Duration], loopCount: LoopCount, at now: Duration) {
        var time = Duration.zero
        ends = delays.map {
            time += $0
            return time
        }
        // Two billion loops take years.
        count = if case .times(let loops) = loopCount { delays.count * min(max(1, loops), Int(Int32.max)) } else { nil }
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

    /// Continues at a position, counted across all loops. An endless animation continues in its first loop.
    mutating func seek(to position: Duration, at now: Duration) {
        let position = max(.zero, count == nil ? position.remainder(dividingBy: loop) : limited(position))
        anchor = (now, position)
        last = nil
        hasSkipped = false
    }

    // MARK: Frames

    /// Returns the time played, across all loops; at most their total duration.
    func position(at now: Duration) -> Duration {
        limited(isRunning ? anchor.position + (now - anchor.time) * rate : anchor.position)
    }

    /// Returns the time played in the current loop; the duration of a loop once the last one has ended.
    func positionInLoop(at now: Duration) -> Duration {
        let position = position(at: now)
        return position == end ? loop : position.remainder(dividingBy: loop)
    }

    /// The clock time at which the last frame of the last loop has been shown for its full delay; nil if never.
    var finish: Duration? { end.flatMap { moment(of: $0) } }

    /// Returns the next frame to show; nil after the last one. Frames whose time has passed are skipped.
    func next(at now: Duration) -> Step? {
        let current = number(at: position(at: now))
        guard let last else { return step(current) }
        let next = max(last + 1, isRunning ? current : 0)
        // Nothing follows the last frame of the last loop.
        return count.map { last + 1 >= $0 } == true ? nil : step(next)
    }

    /// Returns whether to show a frame that is decoded and due. A frame whose time has passed is skipped, but never two
    /// in a row: otherwise a slow decoder would show nothing at all. The first frame at the start and after a seek is
    /// always shown.
    mutating func shows(_ step: Step, at now: Duration) -> Bool {
        let isLate = isRunning && number(at: position(at: now)) > step.number
        hasSkipped = isLate && last != nil && !hasSkipped
        if let last { dropped += step.number - last - 1 + (hasSkipped ? 1 : 0) }
        last = step.number
        return !hasSkipped
    }

    // MARK: Arithmetic

    /// Returns the number of the frame at a position. The last frame stays after the end.
    private func number(at position: Duration) -> Int {
        let loops = Int(clamping: position.attoseconds / loop.attoseconds)
        let rest = position.remainder(dividingBy: loop)
        var (low, high) = (0, ends.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if rest < ends[middle] { high = middle } else { low = middle + 1 }
        }
        let number = min(loops, Int.max / (2 * ends.count)) * ends.count + low
        return count.map { min(number, $0 - 1) } ?? number
    }

    func start(of number: Int) -> Duration {
        let (loops, index) = number.quotientAndRemainder(dividingBy: ends.count)
        return loop * loops + (index == 0 ? .zero : ends[index - 1])
    }

    private func step(_ number: Int) -> Step {
        // After a seek into a frame, that frame is due immediately.
        let due = moment(of: start(of: number)) ?? anchor.time
        return Step(index: number % ends.count, number: number, due: max(due, anchor.time))
    }

    /// Returns the clock time of a position; nil if it isn't reached because playback is stopped.
    private func moment(of position: Duration) -> Duration? {
        guard isRunning, rate > 0 else { return nil }
        let distance = position - anchor.position
        return anchor.time + (rate == 1 ? distance : distance / rate)
    }

    /// The total duration of all loops; nil if the animation loops forever.
    private var end: Duration? { count.map { start(of: $0) } }

    private func limited(_ position: Duration) -> Duration { end.map { min(position, $0) } ?? position }
}

extension Duration {
    fileprivate func remainder(dividingBy other: Duration) -> Duration {
        Duration(attoseconds: attoseconds % other.attoseconds)
    }
}
