#if os(Linux) && Curl
import Foundation

/// Keeps SIGPIPE blocked on the thread that drives libcurl, once it writes through TLS.
///
/// With `CURLOPT_NOSIGNAL`, libcurl leaves the signal to the program. Versions before 7.87 write through OpenSSL
/// without `MSG_NOSIGNAL`, so a TLS connection that the server has closed raises SIGPIPE, which ends the process by
/// default. The process's disposition belongs to the program and isn't changed.
///
/// The mask is lifted while code outside the transport runs on this thread. A new thread or process inherits the mask
/// of the thread that starts it, and resuming a task may start a thread of the cooperative pool.
struct PipeSignalMask {
    private let pipeSignal: sigset_t
    private var isEngaged = false
    /// False when the program had already blocked the signal; it then stays blocked.
    private var isLiftable = false

    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pipeSignal = signals
    }

    /// Blocks the signal on the calling thread from now on. Only the first call has an effect.
    mutating func engage() {
        guard !isEngaged else { return }
        isEngaged = true
        var signals = pipeSignal
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        isLiftable = sigismember(&before, SIGPIPE) == 0
    }

    /// Runs `work` with the signal unblocked. Call on the thread that engaged the mask.
    func lifted<Value, Failure: Error>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard isLiftable else { return try work() }
        var signals = pipeSignal
        var noTime = timespec()
        // Discards a pending signal, which would be delivered as soon as it is unblocked.
        sigtimedwait(&signals, nil, &noTime)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        defer { pthread_sigmask(SIG_BLOCK, &signals, nil) }
        return try work()
    }
}
#endif
