import Synchronization

/// Counts the bytes that were received or read and aren't decoded yet, over all loads of a loader.
///
/// While the count is at the limit, no download starts and nothing is read for decoding. Running work continues, so at
/// most the limit, one body per running download and one per each of ``readWidth`` reads are held. A single body may
/// exceed the limit.
package final class UndecodedBytes: Sendable {
    private struct State {
        var held = 0
        /// The number of reads that were admitted and whose bytes aren't counted yet.
        var reads = 0
        var line: [Reader] = []
        /// Whether a download waits for room; `onRoom` is called when there is some.
        var isAwaited = false
        var onRoom: (@Sendable () -> Void)?
    }

    private struct Reader {
        let isRead: Bool
        let isAdmitted: Promise<Bool>
    }

    /// The maximum number of concurrent reads of unknown size; more than the number of threads that read.
    private static var readWidth: Int { 16 }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: The maximum number of bytes; at least 1.
    package init(limit: Int = .max) {
        self.limit = max(1, limit)
    }

    /// The number of bytes held now.
    package var byteCount: Int { state.withLock { $0.held } }
    /// The number of reads that wait for room; for tests.
    var waitingReads: Int { state.withLock { $0.line.count } }

    // MARK: Downloads

    /// An empty share for a download that has started.
    func share() -> UndecodedShare { UndecodedShare(self, isRead: false) }

    /// Whether a download may start. If not, the closure set by ``onRoom(_:)`` is called when one may.
    func hasRoom() -> Bool {
        state.withLock { state in
            state.isAwaited = state.held >= limit
            return !state.isAwaited
        }
    }

    func onRoom(_ call: @escaping @Sendable () -> Void) { state.withLock { $0.onRoom = call } }

    // MARK: Reads

    /// Whether a read would be admitted now.
    var hasRoomForRead: Bool { state.withLock { $0.held < limit && $0.reads < Self.readWidth } }

    /// A share for bytes about to be read, as soon as there is room; nil when the Task is cancelled first.
    ///
    /// - Parameter isRead: Whether it counts as a read; false for work that may take long or wait for other loads.
    func admit(isRead: Bool = true) async -> UndecodedShare? {
        let promise = state.withLock { state -> Promise<Bool>? in
            if enter(isRead, &state) { return nil }
            let promise = Promise<Bool>()
            state.line.append(Reader(isRead: isRead, isAdmitted: promise))
            return promise
        }
        guard let promise else { return UndecodedShare(self, isRead: isRead) }
        let isAdmitted = await promise.value {
            let left = state.withLock { state in
                state.line.firstIndex { $0.isAdmitted === promise }.map { state.line.remove(at: $0) }
            }
            left?.isAdmitted.end(false)
        }
        return isAdmitted ? UndecodedShare(self, isRead: isRead) : nil
    }

    private func enter(_ isRead: Bool, _ state: inout State) -> Bool {
        guard state.held < limit, !isRead || state.reads < Self.readWidth else { return false }
        if isRead { state.reads += 1 }
        return true
    }

    // MARK: Shares

    fileprivate func change(by bytes: Int, endingRead: Bool) {
        let (readers, onRoom) = state.withLock { state in
            state.held += bytes
            if endingRead { state.reads -= 1 }
            var readers: [Promise<Bool>] = []
            while let first = state.line.first, enter(first.isRead, &state) {
                state.line.removeFirst()
                readers.append(first.isAdmitted)
            }
            let isRoom = state.isAwaited && state.held < limit
            if isRoom { state.isAwaited = false }
            return (readers, isRoom ? state.onRoom : nil)
        }
        for reader in readers { reader.end(true) }
        onRoom?()
    }
}

/// One body's share of the ``UndecodedBytes``.
///
/// It is returned once: when the last holder releases it, or with the last reference to it.
package final class UndecodedShare: Sendable {
    private struct State {
        var bytes = 0
        var holders = 1
        /// Whether its bytes are about to be read.
        var isRead: Bool
    }

    private let owner: UndecodedBytes
    private let state: Mutex<State>

    fileprivate init(_ owner: UndecodedBytes, isRead: Bool) {
        self.owner = owner
        state = Mutex(State(isRead: isRead))
    }

    deinit { release(all: true) }

    /// Adds bytes that were received or read.
    func add(_ bytes: Int) {
        let (added, endsRead) = state.withLock { state in
            guard state.holders > 0 else { return (0, false) }
            state.bytes += bytes
            defer { state.isRead = false }
            return (bytes, state.isRead)
        }
        owner.change(by: added, endingRead: endsRead)
    }

    /// Passes the body to this many callers, each of which releases it.
    func hold(for callers: Int) {
        state.withLock { if $0.holders > 0 { $0.holders += callers } }
        release()
    }

    /// Releases one holder: the body was decoded, rejected or passed on.
    func release() { release(all: false) }

    private func release(all: Bool) {
        let (bytes, endsRead) = state.withLock { state in
            guard state.holders > 0 else { return (0, false) }
            state.holders = all ? 0 : state.holders - 1
            guard state.holders == 0 else { return (0, false) }
            return (state.bytes, state.isRead)
        }
        if bytes > 0 || endsRead { owner.change(by: -bytes, endingRead: endsRead) }
    }
}
