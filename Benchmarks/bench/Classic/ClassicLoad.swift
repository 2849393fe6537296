import Synchronization

/// A handle with which a caller of the classic loader cancels its request.
final class ClassicLoad: Sendable {
    private struct State {
        var isCancelled = false
        var cancelDownload: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the request. Its handler is called soon afterwards with ``ClassicCancellation``, unless it has been
    /// called.
    func cancel() {
        let cancelDownload = state.withLock { state in
            state.isCancelled = true
            return state.cancelDownload.take()
        }
        cancelDownload?()
    }

    /// Records that the request waits for a download from now on.
    func wait(cancelledBy cancelDownload: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.cancelDownload = cancelDownload }
            return state.isCancelled
        }
        if isCancelled { cancelDownload() }
    }
}

/// The error of a cancelled request.
struct ClassicCancellation: Error {}
