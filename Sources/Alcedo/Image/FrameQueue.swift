/// Decides which frame of an animation is decoded next, which are buffered, and which waiters receive them.
///
/// Frames can only be decoded in order, from the first one on. The buffer holds the frame requested last and the ones
/// that follow it, as many as there is room for. If that covers all frames, none is decoded twice.
struct FrameQueue<Frame: Sendable>: Sendable {
    /// The next frame of the current reader, or of a new one.
    struct Job: Equatable {
        var index: Int
        /// Whether this is the first frame of a new reader.
        var isStart: Bool
        /// Whether no frame follows it.
        var isLast = false
        /// Whether the frame itself is needed. If false, it is only decoded on the way to another frame.
        var isSeen: Bool
    }

    private let count: Int
    private var room: Int
    private let wraps: Bool
    private(set) var buffered: [Int: Frame] = [:]
    private var waiters: [UInt64: Int] = [:]
    /// The frame requested last.
    private var head = 0
    /// The frame that the reader decodes next; nil when there is no reader that can continue.
    private var position: Int?
    private var job: Job?
    private enum Rest { case none, withFrames, withoutFrames }

    /// Whether no frames are decoded ahead, because nothing is shown.
    private var rest = Rest.none
    /// The first frame that can't be decoded, and why. The frames after it can't be decoded either.
    private var failure: (index: Int, error: ImageLoaderError)?

    /// - Parameters:
    ///   - room: how many frames may be buffered, at least 1.
    ///   - wraps: whether the first frame follows the last one.
    init(count: Int, room: Int, wraps: Bool) {
        self.count = count
        self.room = min(max(1, room), count)
        self.wraps = wraps
    }

    /// Changes the number of frames that may be buffered. The next request drops excess frames.
    mutating func setRoom(_ room: Int) { self.room = min(max(1, room), count) }

    /// Requests a frame for waiter `id`. The buffer moves to this frame.
    ///
    /// - Returns: the frame, or why it can't be decoded; nil when a later ``made(_:)`` or ``failed(_:)`` returns the
    ///   waiter's ID.
    mutating func want(_ index: Int, by id: UInt64) -> Result<Frame, ImageLoaderError>? {
        rest = .none
        if let failure, index >= failure.index { return .failure(failure.error) }
        head = index
        // Usually at most one frame is dropped: a new dictionary would cost more.
        for far in buffered.keys.filter({ !isNear($0) }) { buffered[far] = nil }
        if let frame = buffered[index] { return .success(frame) }
        waiters[id] = index
        return nil
    }

    /// Decodes only the frames that have waiters, until the next request.
    ///
    /// - Parameter keepingFrames: Whether the buffered frames are kept. Otherwise the next request begins with the
    ///   first frame.
    mutating func rest(keepingFrames: Bool) {
        rest = keepingFrames ? .withFrames : .withoutFrames
        if !keepingFrames { (buffered, position) = ([:], nil) }
    }

    /// Whether no further frames are buffered until the next request. If frames are kept, those on the way to a
    /// waiter's frame still are.
    var isResting: Bool { rest == .withoutFrames || rest == .withFrames && waiters.isEmpty }

    /// Whether a frame is being decoded.
    var isWorking: Bool { job != nil }

    /// Whether the queue rests without frames, and none is being decoded. The next job begins with the first frame.
    var isEmptied: Bool { rest == .withoutFrames && !isWorking }

    /// Withdraws the request of waiter `id`. Does nothing if the frame has already been delivered.
    mutating func leave(_ id: UInt64) { waiters[id] = nil }

    /// Returns and starts the next job; nil while a job is running and when there is nothing to do.
    mutating func nextJob() -> Job? {
        guard job == nil, let target else { return nil }
        let next = if let position, position <= target { position } else { 0 }
        let new = Job(
            index: next, isStart: next == 0, isLast: next == count - 1,
            isSeen: isNear(next) || waiters.values.contains(next))
        job = new
        return new
    }

    /// Reports that the job finished.
    ///
    /// - Parameter frame: nil when the frame itself wasn't needed.
    /// - Returns: the waiters that receive the frame.
    mutating func made(_ frame: Frame?) -> [UInt64] {
        guard let job else { return [] }
        self.job = nil
        position = job.isLast ? nil : job.index + 1
        // A request for this frame may have arrived after the job started without producing it. The frame is then
        // decoded again.
        let ids = frame == nil ? [] : takeWants { $0 == job.index }
        if rest == .withoutFrames {
            if waiters.isEmpty { position = nil }
        } else if let frame, isNear(job.index) {
            buffered[job.index] = frame
        }
        return ids
    }

    /// Reports that the job's frame can't be decoded.
    ///
    /// - Returns: the waiters for this frame or a later one.
    mutating func failed(_ error: ImageLoaderError) -> [UInt64] {
        guard let job else { return [] }
        self.job = nil
        position = nil
        failure = (job.index, error)
        return takeWants { $0 >= job.index }
    }

    private mutating func takeWants(where isOver: (Int) -> Bool) -> [UInt64] {
        let ids = waiters.filter { isOver($0.value) }.keys.sorted()
        for id in ids { waiters[id] = nil }
        return ids
    }

    /// The frame that the reader should reach.
    ///
    /// If there are waiters, it is the first requested frame at or after the reader's position, or else the first
    /// requested one. Otherwise, once the frame requested last is available, it is the first of the following frames
    /// that isn't buffered yet.
    private var target: Int? {
        if !waiters.isEmpty { return waiters.values.filter { $0 >= position ?? 0 }.min() ?? waiters.values.min() }
        guard rest == .none, buffered[head] != nil else { return nil }
        let end = failure?.index ?? count
        return (head..<head + room).lazy.filter { wraps || $0 < count }.map { $0 % count }
            .first { buffered[$0] == nil && $0 < end }
    }

    /// Whether the frame is the one requested last, or one of the following frames that fit in the buffer.
    private func isNear(_ index: Int) -> Bool {
        let distance = index - head
        return distance >= 0 ? distance < room : wraps && distance + count < room
    }
}
