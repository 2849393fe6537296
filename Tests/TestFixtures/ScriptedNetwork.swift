import Alcedo
import Synchronization

/// A network that is there when the test says so.
struct ScriptedNetwork: Sendable {
    private struct State {
        var isConnected: Bool?
        var report: (@Sendable (Bool) -> Void)?
    }

    private final class Core: Sendable {
        let state: Mutex<State>

        init(_ state: sending State) { self.state = Mutex(state) }
    }

    /// A watch, until it is released.
    private final class Watch: Sendable {
        private let onEnd: @Sendable () -> Void

        init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

        deinit { onEnd() }
    }

    private let core: Core
    let monitor: NetworkMonitor
    /// True for each watch that began, and false for each that ended.
    let watches = Recorder<Bool>()

    /// - Parameters:
    ///   - isConnected: The first report of a watch; nil for none.
    ///   - canBeWatched: Whether the system permits watching.
    init(isConnected: Bool? = false, canBeWatched: Bool = true) {
        let core = Core(State(isConnected: isConnected))
        self.core = core
        monitor = NetworkMonitor { [watches] report in
            guard canBeWatched else { return nil }
            watches.record(true)
            let isConnected = core.state.withLock { state in
                state.report = report
                return state.isConnected
            }
            if let isConnected { report(isConnected) }
            return Watch { watches.record(false) }
        }
    }

    /// Reports to the current watch, even if it has ended, and to later ones at their beginning.
    func report(_ isConnected: Bool) {
        let report = core.state.withLock { state in
            state.isConnected = isConnected
            return state.report
        }
        report?(isConnected)
    }
}

extension ImageLoaderError {
    /// The error of transports when there is no network.
    static let offline = ImageLoaderError.connectionFailed(.hostNotFound, detail: "Could not resolve host: host.test")
}
