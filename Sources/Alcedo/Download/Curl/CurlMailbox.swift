#if os(Linux) && Curl
import CCurl
import Synchronization

/// Commands that callers post to the thread. The thread is woken only if it sleeps.
final class CurlMailbox: Sendable {
    enum Command {
        case start(TransportLoad)
        case stop(TransportLoad)
        /// Continues a transfer that has paused, or ends it, as its sink demands.
        case resume(TransportLoad)
        /// The body was decoded, or a part of it that was still being decoded when the transfer ended.
        case decoded(TransportLoad, TransportLoad.Outcome)

        fileprivate var isStart: Bool { if case .start = self { true } else { false } }
    }

    private struct State {
        var commands: [Command] = []
        var hasThread = false
        var isClosed = false
        /// Called when the thread has ended, or has found that other loads keep it running.
        var resters: [@Sendable () -> Void] = []
        /// Cookies that a later thread begins with, in curl's format.
        var cookies: [String] = []
        /// The address of the multi handle that the thread sleeps on. Used under the lock only: the thread clears it
        /// before it frees the handle.
        var sleeper: UInt?

        mutating func wake() {
            guard let multi = sleeper.take().flatMap(UnsafeMutableRawPointer.init(bitPattern:)) else { return }
            // If this fails, the thread polls; see CurlLoop.
            curl_multi_wakeup(multi)
        }
    }

    private let state = Mutex(State())

    /// Posts a command. Returns whether the caller must start the thread, which runs while there are transfers.
    /// Without a thread, commands other than a start are ignored, because there is no transfer that they could concern.
    @discardableResult func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard state.hasThread || command.isStart else { return false }
            state.commands.append(command)
            state.wake()
            defer { state.hasThread = true }
            return !state.hasThread
        }
    }

    /// Withdraws all posted commands because there is no thread for them. The next ``post(_:)`` asks for a thread
    /// again.
    func withdraw() -> [Command] {
        state.withLock { state in
            state.hasThread = false
            return exchange(&state.commands, with: [])
        }
    }

    /// Lets the thread end after its last transfer.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.wake()
        }
    }

    /// Lets the thread end if it has no transfers, and calls `done` afterwards. A later command starts another thread.
    func rest(_ done: @escaping @Sendable () -> Void) {
        let isResting = state.withLock { state in
            guard state.hasThread, !state.isClosed else { return true }
            state.resters.append(done)
            state.wake()
            return false
        }
        if isResting { done() }
    }

    // MARK: The thread

    /// Whether the thread may end, and why.
    enum Closing {
        case no
        /// The loader has been released.
        case forGood
        case forNow
    }

    /// Moves the posted commands to `commands`, which must be empty, and returns whether the thread may end.
    func take(_ commands: inout [Command]) -> Closing {
        state.withLock { state in
            state.sleeper = nil
            swap(&state.commands, &commands)
            return state.isClosed ? .forGood : state.resters.isEmpty ? .no : .forNow
        }
    }

    /// Returns, once, the cookies to begin with.
    func takeCookies() -> [String] { state.withLock { exchange(&$0.cookies, with: []) } }

    /// Ends the thread unless a command was posted since it last took commands. Returns whether it ends.
    func end(leaving cookies: [String]) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty else { return false }
            (state.hasThread, state.cookies) = (false, cookies)
            return true
        }
    }

    /// Notifies the callers that wait for the thread's end.
    func endRest() {
        for done in state.withLock({ exchange(&$0.resters, with: []) }) { done() }
    }

    /// Whether nothing was posted, so that the thread may sleep on the handle at `address` until ``take(_:)``.
    func maySleep(on address: UInt, isClosing: Bool) -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, state.resters.isEmpty, state.isClosed == isClosing else { return false }
            state.sleeper = address
            return true
        }
    }
}
#endif
