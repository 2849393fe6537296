/// Decides which frame of an animation is made next, which are kept, and who gets them.
///
/// Frames can only be made in order, from the first one on. Kept are the one asked for last and those that come next,
/// as many as there is room for: when that is all of them, none is made twice.
struct FrameQueue<Frame> {
    /// The next frame of the reader, or of a new one.
    struct Job: Equatable {
        var index: Int
        /// It is the first frame of a new reader.
        var isStart: Bool
        /// Whether anybody is to see it; it may only be on the way to another one.
        var isSeen: Bool
    }

    enum Answer {
        case frame(Frame)
        case failure(ImageLoaderError)
        /// It comes with an outcome of a job.
        case wait
    }

    private let count: Int
    private let room: Int
    private let wraps: Bool
    private(set) var kept: [Int: Frame] = [:]
    private var wants: [UInt64: Int] = [:]
    /// The frame asked for last.
    private var head = 0
    /// The frame that the reader makes next; nil when there is no reader that could.
    private var position: Int?
    private var job: Job?
    /// The first frame that can't be made, and why; those behind it can't be made either.
    private var failure: (index: Int, error: ImageLoaderError)?

    /// - Parameters:
    ///   - room: how many frames may be kept, at least 1.
    ///   - wraps: whether the first frame comes after the last one.
    init(count: Int, room: Int, wraps: Bool) {
        self.count = count
        self.room = min(max(1, room), count)
        self.wraps = wraps
    }

    /// `id` wants a frame; it becomes the one around which frames are kept.
    mutating func want(_ index: Int, by id: UInt64) -> Answer {
        if let failure, index >= failure.index { return .failure(failure.error) }
        head = index
        kept = kept.filter { isNear($0.key) }
        if let frame = kept[index] { return .frame(frame) }
        wants[id] = index
        return .wait
    }

    /// `id` wants it no more; nothing happens when it has got it.
    mutating func leave(_ id: UInt64) { wants[id] = nil }

    /// What is to be done now; nil while a job is under way and when there is nothing to do.
    mutating func nextJob() -> Job? {
        guard job == nil, let target else { return nil }
        let next = if let position, position <= target { position } else { 0 }
        let new = Job(
            index: next, isStart: next == 0, isSeen: isNear(next) || wants.values.contains(next))
        job = new
        return new
    }

    /// The job is done.
    ///
    /// - Parameter frame: nil when nobody was to see it.
    /// - Returns: who gets the frame.
    mutating func made(_ frame: Frame?) -> [UInt64] {
        guard let job else { return [] }
        self.job = nil
        position = job.index + 1 < count ? job.index + 1 : nil
        // Somebody may want since the start of the job what nobody was to see: it is made again.
        guard let frame else { return [] }
        if isNear(job.index) { kept[job.index] = frame }
        return takeWants { $0 == job.index }
    }

    /// The job's frame can't be made.
    ///
    /// - Returns: who waits for it or for one behind it.
    mutating func failed(_ error: ImageLoaderError) -> [UInt64] {
        guard let job else { return [] }
        self.job = nil
        position = nil
        failure = (job.index, error)
        return takeWants { $0 >= job.index }
    }

    private mutating func takeWants(where isOver: (Int) -> Bool) -> [UInt64] {
        let ids = wants.filter { isOver($0.value) }.keys.sorted()
        for id in ids { wants[id] = nil }
        return ids
    }

    /// The frame that the reader is to get to: one that is waited for, the next one on its way if there is one on it;
    /// otherwise, once somebody has got the frame asked for last, the first missing one of those that come next.
    private var target: Int? {
        if !wants.isEmpty {
            return wants.values.filter { $0 >= position ?? 0 }.min() ?? wants.values.min()
        }
        guard kept[head] != nil else { return nil }
        let end = failure?.index ?? count
        return (head..<head + room).lazy.filter { wraps || $0 < count }.map { $0 % count }
            .first { kept[$0] == nil && $0 < end }
    }

    /// Whether it is the frame asked for last or one of those that come next and have room.
    private func isNear(_ index: Int) -> Bool {
        let distance = index - head
        return distance >= 0 ? distance < room : wraps && distance + count < room
    }
}
