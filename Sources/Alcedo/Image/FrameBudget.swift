import Synchronization

/// The memory that the frame buffers of several animations share.
///
/// While there is room, each animation may buffer all of its frames, and is then decoded only once. Otherwise, each
/// gets an equal share, in whole frames, and decodes a few frames ahead. Each may always hold three frames: the one
/// shown next, the one being decoded, and the canvas that it is drawn on.
///
/// A paused animation keeps its frames. If it has more than three, and a playing animation has less than its share, the
/// paused one loses all of them. Playing animations share the rest. Hidden and finished animations release all of their
/// frames.
public final class FrameBudget: Sendable {
    /// The budget of the process: 128 MiB.
    public static let shared = FrameBudget(bytes: 128 << 20)

    /// The maximum number of bytes of all buffers, unless three frames of each animation exceed it. Hidden animations
    /// don't count.
    public let bytes: Int

    private struct State {
        /// The number of animations that have a share.
        var members = 0
        /// The number of animations below their share, because others exceed theirs.
        var short = 0
        var reservedBytes = 0
        /// The paused animations that hold frames, with closures that take the frames back. A closure is nil if there
        /// are at most ``Share/least`` frames, or if they are being taken back.
        var resting: [(share: ObjectIdentifier, bytes: Int, empty: (@Sendable () -> Void)?)] = []

        /// The equal share of each playing animation, out of the bytes that paused ones don't hold. It is never less
        /// than if all animations played, because paused ones that hold more can be emptied.
        func equalPart(of bytes: Int) -> Int {
            let free = bytes - resting.reduce(0) { $0 + $1.bytes }
            return max(bytes / members, free / (members - resting.count))
        }

        /// Takes the closure that empties a paused animation.
        mutating func takeEmpty() -> (@Sendable () -> Void)? {
            guard let index = resting.firstIndex(where: { $0.empty != nil }) else { return nil }
            return resting[index].empty.take()
        }
    }

    private let state = Mutex(State())
    /// The timer of the most recently used clock. The players own it.
    @MainActor private weak var timer: FrameTimer?

    /// Creates a budget.
    ///
    /// - Parameter bytes: The maximum number of bytes of all buffers; at least 0, with which each animation holds three
    ///   frames.
    public init(bytes: Int) {
        precondition(bytes >= 0, "a budget of \(bytes) bytes")
        self.bytes = bytes
    }

    /// The number of bytes that the animations may use now. Their buffers fill as they play.
    public var reservedBytes: Int { state.withLock { $0.reservedBytes } }

    /// An animation's share of the budget, given back when this object is released.
    final class Share: Sendable {
        private struct Part {
            /// The number of reserved frames.
            var frames = Share.least
            var isShort = false
        }

        private let budget: FrameBudget
        private let frameBytes: Int
        private let frameCount: Int
        private let part = Mutex(Part())

        /// The number of frames that each animation may always hold.
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

        /// Returns the number of frames that may be buffered now: all of them, or as many as there is room for besides
        /// the frame being decoded and the canvas. If this is less than before, the difference is given back.
        ///
        /// If the share is too small, `empty` takes the frames of a paused animation, for the next call. Call it when
        /// no lock is held.
        func reserve() -> (room: Int, empty: (@Sendable () -> Void)?) {
            part.withLock { part in
                let empty = budget.state.withLock { state in
                    state.resting.removeAll { $0.share == ObjectIdentifier(self) }
                    reserve(max(Self.least, part.frames), &part, &state)
                    let equal = max(Self.least, min(state.equalPart(of: budget.bytes) / frameBytes, frameCount))
                    let free = max(0, budget.bytes - state.reservedBytes) / frameBytes
                    // Memory beyond the equal share is only lent.
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

        /// Reports that the animation is paused and has at most `count` frames in memory. It needs no more until the
        /// next ``reserve()``.
        ///
        /// - Parameter empty: Called on any thread if other animations need the memory. Must release the frames and
        ///   call this function again, unless the animation plays again.
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
