import Synchronization

/// The memory that the frame buffers of several animations share.
///
/// As long as there is room, each animation may buffer all of its frames, and is then decoded only once. Otherwise each
/// gets an equal part, in whole frames, and decodes a few frames ahead. Each may hold three frames in any case: the one
/// shown next, the one being decoded, and the canvas that it is drawn on.
///
/// An animation that stands still keeps the frames that it has. If there are more than three, and one that plays has
/// less than its part, it loses them all. Those that play share the rest. One that can't be seen, or is over, gives all
/// of its frames back.
public final class FrameBudget: Sendable {
    /// The budget of the process: 128 MiB.
    public static let shared = FrameBudget(bytes: 128 << 20)

    /// The maximum number of bytes of all buffers, unless there are so many animations that three frames of each are
    /// more. Those that can't be seen don't count.
    public let bytes: Int

    private struct State {
        /// The animations that have a part.
        var members = 0
        /// The animations that got less than their part, because others have more than theirs.
        var short = 0
        var reservedBytes = 0
        /// The animations that stand still with frames, and how to take these back; nil if there are at most
        /// ``Share/least``, or if they are being taken back.
        var resting: [(share: ObjectIdentifier, bytes: Int, empty: (@Sendable () -> Void)?)] = []

        /// The equal part of each that plays, of what the others don't hold. It is never less than if all played,
        /// because those that hold more can be emptied.
        func equalPart(of bytes: Int) -> Int {
            let free = bytes - resting.reduce(0) { $0 + $1.bytes }
            return max(bytes / members, free / (members - resting.count))
        }

        /// How to empty one that stands still.
        mutating func takeEmpty() -> (@Sendable () -> Void)? {
            guard let index = resting.firstIndex(where: { $0.empty != nil }) else { return nil }
            return resting[index].empty.take()
        }
    }

    private let state = Mutex(State())
    /// The timer of the most recently used clock. The players hold it.
    @MainActor private weak var timer: FrameTimer?

    /// Creates a budget.
    ///
    /// - Parameter bytes: The maximum number of bytes of all buffers; at least 0, with which each animation holds three
    ///   frames.
    public init(bytes: Int) {
        precondition(bytes >= 0, "a budget of \(bytes) bytes")
        self.bytes = bytes
    }

    /// The bytes that the animations may use now. Their buffers fill as they play.
    public var reservedBytes: Int { state.withLock { $0.reservedBytes } }

    /// An animation's part of the budget, given back when it is released.
    final class Share: Sendable {
        private struct Part {
            /// The frames that are reserved.
            var frames = Share.least
            var isShort = false
        }

        private let budget: FrameBudget
        private let frameBytes: Int
        private let frameCount: Int
        private let part = Mutex(Part())

        /// The frames that each animation may hold in any case.
        static let least = 3

        fileprivate init(_ budget: FrameBudget, frameBytes: Int, frameCount: Int) {
            self.budget = budget
            self.frameBytes = max(1, frameBytes)
            self.frameCount = frameCount
            budget.state.withLock { state in
                state.members += 1
                state.reservedBytes += Self.least * self.frameBytes
            }
        }

        deinit { rest(holding: 0) {} }

        /// The number of frames that may be buffered now, besides the one being decoded and the canvas, or all of
        /// them. A smaller number than before gives the difference back.
        ///
        /// If the part is too small, `empty` takes the frames of an animation that stands still, for the next call.
        /// Call it once no lock is held.
        func reserve() -> (room: Int, empty: (@Sendable () -> Void)?) {
            part.withLock { part in
                let empty = budget.state.withLock { state in
                    state.resting.removeAll { $0.share == ObjectIdentifier(self) }
                    reserve(max(Self.least, part.frames), &part, &state)
                    let equal = max(Self.least, min(state.equalPart(of: budget.bytes) / frameBytes, frameCount))
                    let free = max(0, budget.bytes - state.reservedBytes) / frameBytes
                    // More than the equal part is only lent.
                    let isTight = state.short > (part.isShort ? 1 : 0) || state.reservedBytes > budget.bytes
                    let wanted = isTight ? equal : max(Self.least, frameCount)
                    reserve(min(wanted, part.frames + free), &part, &state)
                    setShort(part.frames < equal, &part, &state)
                    let isLow = part.isShort || state.reservedBytes > budget.bytes
                    return isLow ? state.takeEmpty() : nil
                }
                return (part.frames >= frameCount ? frameCount : max(1, part.frames - 2), empty)
            }
        }

        /// The animation stands still, and has at most so many frames in memory: it needs no more until the next
        /// ``reserve()``.
        ///
        /// - Parameter empty: Called on any thread if others need the memory. Releases the frames and calls this again,
        ///   unless the animation plays again.
        func rest(holding count: Int, empty: @escaping @Sendable () -> Void) {
            part.withLock { part in
                budget.state.withLock { state in
                    setShort(false, &part, &state)
                    reserve(min(part.frames, count), &part, &state)
                    state.resting.removeAll { $0.share == ObjectIdentifier(self) }
                    guard part.frames > 0 else { return }
                    let bytes = part.frames * frameBytes
                    state.resting.append((ObjectIdentifier(self), bytes, part.frames > Self.least ? empty : nil))
                }
            }
        }

        private func reserve(_ frames: Int, _ part: inout Part, _ state: inout State) {
            state.reservedBytes += (frames - part.frames) * frameBytes
            state.members += frames.signum() - part.frames.signum()
            part.frames = frames
        }

        private func setShort(_ isShort: Bool, _ part: inout Part, _ state: inout State) {
            state.short += (isShort ? 1 : 0) - (part.isShort ? 1 : 0)
            part.isShort = isShort
        }
    }

    /// The timer of the players that share the budget and this clock.
    @MainActor func timer(for clock: any Clock<Duration>) -> FrameTimer {
        if let timer, timer.uses(clock) { return timer }
        let new = FrameTimer(clock)
        timer = new
        return new
    }

    /// Adds an animation.
    func share(frameBytes: Int, frameCount: Int) -> Share {
        Share(self, frameBytes: frameBytes, frameCount: frameCount)
    }
}
