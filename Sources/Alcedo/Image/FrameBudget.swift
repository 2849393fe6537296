import Synchronization

/// The memory that the frame buffers of several animations share.
///
/// Each animation gets an equal part, in whole frames, and what others leave. An animation whose frames all fit is
/// decoded only once; the others decode a few frames ahead. Each may hold three frames in any case: the one shown
/// next, the one being decoded, and the canvas that it is drawn on.
public final class FrameBudget: Sendable {
    /// The budget of the process: 128 MiB.
    public static let shared = FrameBudget(bytes: 128 << 20)

    /// The maximum number of bytes of all buffers, unless so many animations play that three frames of each are more.
    public let bytes: Int

    private struct State {
        var members = 0
        var reservedBytes = 0
    }

    private let state = Mutex(State())

    /// Creates a budget.
    ///
    /// - Parameter bytes: The maximum number of bytes of all buffers.
    public init(bytes: Int) { self.bytes = max(0, bytes) }

    /// The bytes that the animations may use now. Their buffers fill as they play.
    public var reservedBytes: Int { state.withLock { $0.reservedBytes } }

    /// An animation's part of the budget, given back when it is released.
    final class Share: Sendable {
        private let budget: FrameBudget
        private let frameBytes: Int
        private let frameCount: Int
        private let frames: Mutex<Int>

        /// The frames that each animation may hold in any case.
        static let least = 3

        fileprivate init(_ budget: FrameBudget, frameBytes: Int, frameCount: Int) {
            self.budget = budget
            self.frameBytes = max(1, frameBytes)
            self.frameCount = frameCount
            frames = Mutex(Self.least)
            budget.state.withLock { state in
                state.members += 1
                state.reservedBytes += Self.least * self.frameBytes
            }
        }

        deinit {
            let frames = frames.withLock { $0 }
            budget.state.withLock { state in
                state.members -= 1
                state.reservedBytes -= frames * frameBytes
            }
        }

        /// The number of frames that may be buffered now, besides the one being decoded and the canvas, or all of
        /// them. A smaller number than before gives the difference back.
        func room() -> Int {
            frames.withLock { frames in
                budget.state.withLock { state in
                    // All frames need neither a canvas nor room for the one being decoded.
                    let part = budget.bytes / max(1, state.members) / frameBytes
                    let wanted = max(Self.least, min(part, frameCount))
                    let free = max(0, budget.bytes - state.reservedBytes) / frameBytes
                    let granted = min(wanted, frames + free)
                    state.reservedBytes += (granted - frames) * frameBytes
                    frames = granted
                }
                return frames >= frameCount ? frameCount : max(1, frames - 2)
            }
        }
    }

    /// Adds an animation.
    func share(frameBytes: Int, frameCount: Int) -> Share {
        Share(self, frameBytes: frameBytes, frameCount: frameCount)
    }
}
