import Synchronization

/// The memory that the frame buffers of several animations share.
///
/// As long as there is room, each animation may buffer all of its frames, and is then decoded only once. Otherwise each
/// gets an equal part, in whole frames, and decodes a few frames ahead. Each may hold three frames in any case: the one
/// shown next, the one being decoded, and the canvas that it is drawn on. An animation that stands still keeps the
/// frames that it has, and one that can't be seen gives them back.
public final class FrameBudget: Sendable {
    /// The budget of the process: 128 MiB.
    public static let shared = FrameBudget(bytes: 128 << 20)

    /// The maximum number of bytes of all buffers, unless so many animations play that three frames of each are more.
    public let bytes: Int

    private struct State {
        /// The animations that play.
        var members = 0
        /// Those that got less than their part, because others have more than theirs.
        var short = 0
        var reservedBytes = 0
    }

    private let state = Mutex(State())

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
            var isResting = false
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

        deinit {
            rest(holding: 0)
            let frames = part.withLock { $0.frames }
            budget.state.withLock { $0.reservedBytes -= frames * frameBytes }
        }

        /// The number of frames that may be buffered now, besides the one being decoded and the canvas, or all of
        /// them. A smaller number than before gives the difference back.
        func room() -> Int {
            part.withLock { part in
                budget.state.withLock { state in
                    if part.isResting { state.members += 1 }
                    part.isResting = false
                    let equal = max(Self.least, min(budget.bytes / max(1, state.members) / frameBytes, frameCount))
                    let free = max(0, budget.bytes - state.reservedBytes) / frameBytes
                    // More than the equal part is only lent.
                    let isTight = state.short > (part.isShort ? 1 : 0) || state.reservedBytes > budget.bytes
                    let wanted = isTight ? equal : max(Self.least, frameCount)
                    reserve(min(wanted, part.frames + free), &part, &state)
                    setShort(part.frames < equal, &part, &state)
                }
                return part.frames >= frameCount ? frameCount : max(1, part.frames - 2)
            }
        }

        /// The animation stands still, and holds so many frames: it needs no more until the next ``room()``.
        func rest(holding count: Int) {
            part.withLock { part in
                budget.state.withLock { state in
                    if !part.isResting { state.members -= 1 }
                    part.isResting = true
                    setShort(false, &part, &state)
                    reserve(min(part.frames, max(Self.least, count + 2)), &part, &state)
                }
            }
        }

        private func reserve(_ frames: Int, _ part: inout Part, _ state: inout State) {
            state.reservedBytes += (frames - part.frames) * frameBytes
            part.frames = frames
        }

        private func setShort(_ isShort: Bool, _ part: inout Part, _ state: inout State) {
            state.short += (isShort ? 1 : 0) - (part.isShort ? 1 : 0)
            part.isShort = isShort
        }
    }

    /// Adds an animation.
    func share(frameBytes: Int, frameCount: Int) -> Share {
        Share(self, frameBytes: frameBytes, frameCount: frameCount)
    }
}
