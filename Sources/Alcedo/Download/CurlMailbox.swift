#if os(Linux) && Curl
import CCurl
import Synchronization

/// What callers leave for the thread to do. It is woken only when it sleeps.
final class CurlMailbox: Sendable {
    enum Command {
        case start(CurlTicket)
        case stop(CurlTicket)
    }

    private struct State {
        var commands: [Command] = []
        var hasThread = false
        var isClosed = false
        /// The address of the multi handle that the thread sleeps on. Used under the lock only: the thread takes it
        /// back before it frees the handle.
        var sleeper: UInt?

        mutating func wake() {
            guard let multi = sleeper.take().flatMap(UnsafeMutableRawPointer.init(bitPattern:)) else { return }
            // When it fails, the thread looks by itself; see CurlLoop.
            curl_multi_wakeup(multi)
        }
    }

    private let state = Mutex(State())

    /// Whether the caller is to start the thread.
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            state.commands.append(command)
            state.wake()
            defer { state.hasThread = true }
            return !state.hasThread
        }
    }

    /// Takes back what was posted, as there is no thread for it; the next ``post(_:)`` asks for one again.
    func withdraw() -> [Command] {
        state.withLock { state in
            state.hasThread = false
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Lets the thread end after its last transfer.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.wake()
        }
    }

    // MARK: The thread

    /// Moves what was posted to `commands`, which is empty, and returns whether the loader is gone.
    func take(_ commands: inout [Command]) -> Bool {
        state.withLock { state in
            state.sleeper = nil
            swap(&state.commands, &commands)
            return state.isClosed
        }
    }

    /// Whether nothing was posted, so that the thread may sleep on the handle at `address` until ``take(_:)``.
    func maySleep(on address: UInt, isClosing: Bool) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, state.isClosed == isClosing else { return false }
            state.sleeper = address
            return true
        }
    }
}
#endif
