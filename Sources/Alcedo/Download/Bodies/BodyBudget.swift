import Synchronization

/// Limits the total size of the bodies that were received or read but not yet decoded or taken.
///
/// A body's bytes count from their receipt until the image is decoded, the load fails, or the caller gets the body.
/// Together, transfers that have received more than 1/128 of the limit count for at most three quarters of it, and
/// pause when that part is used up. The last quarter is reserved for smaller transfers and for reads, so that a slow
/// sender of large bodies can't hold them up. When the limit is reached, no file is read, a download starts only if it
/// is more urgent than those that hold bytes, and all transfers pause except the most urgent one. It pauses, too,
/// while complete bodies wait to be decoded, because decoding makes room. The limit is therefore exceeded by at most
/// one body, plus a chunk of each other transfer. A paused transfer is neither too slow nor idle, and the pause doesn't
/// count toward ``DownloadCoordinator/Settings/totalTimeout``. If the most urgent transfer receives less than 1/64 of
/// the limit in ten seconds while others wait for it, it ends with ``ImageLoaderError/Timeout/tooSlow``, which is
/// retried like other timeouts. The bytes that it has received are kept for resumption, as after any interruption.
///
/// URLSession can't pause transfers on Linux. There, running transfers continue, and only new ones are held back.
public final class BodyBudget: Sendable {
    typealias ID = UInt64

    private struct State {
        var ledger: BodyLedger<ID>
        var isLimitKnown: Bool
        var lastID: ID = 0
        var transfers: [ID: Reference] = [:]
        var readers: [ID: Promise<Bool>] = [:]
        /// The functions to call when downloads may start, by the coordinator that waits.
        var starts: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// Whether a Task waits to tick.
        var isTicking = false
    }

    /// A weak reference to a share, which is returned when its last strong reference is released.
    private struct Reference {
        weak var share: BodyShare?
    }

    /// The default budget, shared by all loaders of the process: an eighth of the memory that the process may use, at
    /// most 256 MiB.
    public static let shared = BodyBudget(memory: .shared)

    private let memory: ProcessMemory?
    private let time: TimeSource
    private let state: Mutex<State>

    /// Creates a separate budget for one or more loaders.
    ///
    /// - Parameter byteLimit: The maximum number of bytes. At least 1, or a loader with it throws
    ///   ``ImageLoaderError/unsupportedConfiguration(_:)``.
    public convenience init(byteLimit: Int) { self.init(byteLimit: byteLimit, time: TimeSource()) }

    /// - Parameters:
    ///   - byteLimit: The limit; nil for a share of `memory`, once that is known.
    ///   - time: Measures how long others wait.
    package init(byteLimit: Int? = nil, memory: ProcessMemory? = nil, time: TimeSource = TimeSource()) {
        self.memory = memory
        self.time = time
        givenLimit = byteLimit
        let limit = byteLimit ?? MemoryBudget.mostWaitingBytes
        state = Mutex(State(ledger: BodyLedger(limit: limit), isLimitKnown: memory == nil))
    }

    /// The limit as given, which may be out of range.
    let givenLimit: Int?

    /// The number of bytes currently held.
    public var byteCount: Int { state.withLock { $0.ledger.byteCount } }
    /// The number of reads that wait for room; for tests.
    var waitingReads: Int { state.withLock { $0.ledger.waitingReads } }

    /// Whether ``learnLimit()`` has nothing to do.
    var isLimitKnown: Bool { state.withLock { $0.isLimitKnown } }

    /// Determines the limit if it depends on the memory. Returns false if the calling Task is cancelled first.
    func learnLimit() async -> Bool {
        guard !isLimitKnown, let memory else { return true }
        guard let bytes = await memory.limitUnlessCancelled() else { return false }
        change { state, now in
            state.isLimitKnown = true
            return state.ledger.setLimit(MemoryBudget.waitingLimit(within: bytes), now: now)
        }
        return true
    }

    // MARK: Transfers

    /// An empty share for the body of a transfer.
    ///
    /// - Parameter priority: Returns the priority of the download.
    func share(priority: @escaping @Sendable () -> RequestPriority) -> BodyShare {
        let id = nextID()
        let share = BodyShare(self, id, priority: priority)
        state.withLock { $0.transfers[id] = Reference(share: share) }
        return share
    }

    /// Whether a download of any priority may start.
    var hasRoom: Bool { state.withLock { !$0.ledger.isFull } }

    /// Whether a download of this priority may start. If not, `start` is called once, when a download may.
    func mayStart(
        _ priority: RequestPriority, of waiter: ObjectIdentifier, start: @escaping @Sendable () -> Void
    ) -> Bool {
        var mayStart = false
        change { state, now in
            mayStart = state.ledger.mayStart(priority)
            guard !mayStart else { return [] }
            state.starts[waiter] = start
            return state.ledger.setAwaited(true, now: now)
        }
        return mayStart
    }

    /// Withdraws the request that ``mayStart(_:of:start:)`` has made.
    func stopWaiting(_ waiter: ObjectIdentifier) {
        change { state, now in
            guard state.starts.removeValue(forKey: waiter) != nil else { return [] }
            return state.ledger.setAwaited(!state.starts.isEmpty, now: now)
        }
    }

    // MARK: Reads

    /// Whether a read would be admitted now.
    var hasRoomForRead: Bool { state.withLock { $0.ledger.hasRoomForRead } }

    /// Waits for room, and returns a share for bytes about to be read; nil if the Task is cancelled first.
    ///
    /// - Parameter isRead: Whether the work counts as a read; false if it may take long or wait for other loads.
    func admit(isRead: Bool = true) async -> BodyShare? {
        guard await learnLimit() else { return nil }
        let id = nextID()
        let promise = Promise<Bool>()
        change { state, now in
            state.readers[id] = promise
            return state.ledger.requestRead(id, isShort: isRead, now: now)
        }
        let isAdmitted =
            promise.hasEnded
            ? true
            : await promise.value { [self] in
                let left = state.withLock { $0.readers.removeValue(forKey: id) }
                guard let left else { return }
                release(id)
                left.end(false)
            }
        return isAdmitted ? BodyShare(self, id, priority: nil) : nil
    }

    // MARK: Shares

    fileprivate func receive(_ bytes: Int, _ id: ID, _ priority: RequestPriority?, canPause: Bool) {
        change { state, now in
            guard let priority else { return state.ledger.add(bytes, to: id, now: now) }
            guard state.transfers[id] != nil || state.ledger.holds(id) else { return [] }
            return state.ledger.receive(bytes, by: id, priority, canPause: canPause, now: now)
        }
    }

    fileprivate func setPriority(_ priority: RequestPriority, of id: ID) {
        change { $0.ledger.setPriority(priority, of: id, now: $1) }
    }

    fileprivate func complete(_ id: ID) {
        change { state, now in
            state.transfers[id] = nil
            return state.ledger.complete(id, now: now)
        }
    }

    fileprivate func release(_ id: ID) {
        change { state, now in
            state.transfers[id] = nil
            return state.ledger.release(id, now: now)
        }
    }

    private func nextID() -> ID {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    // MARK: Acting

    /// The calls to make after unlocking.
    private struct Calls {
        var shares: [BodyShare] = []
        var readers: [Promise<Bool>] = []
        var starts: [@Sendable () -> Void] = []
        var tick: Duration?
    }

    private func change(_ event: (inout State, Duration) -> [BodyLedger<ID>.Step]) {
        let now = time.now()
        let calls = state.withLock { state in
            var calls = Calls()
            for step in event(&state, now) { Self.perform(step, &state, &calls, now) }
            if !state.isTicking, let due = state.ledger.nextTick {
                state.isTicking = true
                calls.tick = due
            }
            return calls
        }
        if let due = calls.tick { tick(at: due) }
        for share in calls.shares { share.notify() }
        for reader in calls.readers { reader.end(true) }
        for start in calls.starts { start() }
    }

    private static func perform(
        _ step: BodyLedger<ID>.Step, _ state: inout State, _ calls: inout Calls, _ now: Duration
    ) {
        func demand(_ demand: BodyShare.Demand, of id: ID) {
            guard let share = state.transfers[id]?.share else { return }
            share.demand(demand, now: now)
            // Its last reference must not be released while the lock is held.
            calls.shares.append(share)
        }
        switch step {
        case .pause(let id): demand(.nothing, of: id)
        case .resume(let id): demand(.more, of: id)
        case .drop(let id): demand(.end, of: id)
        case .admit(let id): if let reader = state.readers.removeValue(forKey: id) { calls.readers.append(reader) }
        case .start:
            calls.starts += state.starts.values
            state.starts = [:]
        }
    }

    private func tick(at due: Duration) {
        Task.detached { [weak self, time] in
            guard await time.sleep(until: due) else { return }
            self?.change { state, now in
                state.isTicking = false
                return state.ledger.tick(now: now)
            }
        }
    }

    fileprivate var now: Duration { time.now() }
}

/// One body's share of a ``BodyBudget``.
///
/// It is returned once, when its last holder releases it or its last reference is released.
package final class BodyShare: Sendable {
    /// The current demand on the transfer.
    enum Demand { case more, nothing, end }

    private struct State {
        var holders = 1
        var demand = Demand.more
        var onDemand: (@Sendable () -> Void)?
        var canPause = false
        var pausedAt: Duration?
        var pausedTime = Duration.zero
        var hasPaused = false
    }

    private let owner: BodyBudget
    private let id: BodyBudget.ID
    /// Nil for bytes that don't come from a transfer.
    private let priority: (@Sendable () -> RequestPriority)?
    private let state = Mutex(State())

    fileprivate init(_ owner: BodyBudget, _ id: BodyBudget.ID, priority: (@Sendable () -> RequestPriority)?) {
        self.owner = owner
        self.id = id
        self.priority = priority
    }

    deinit { release(all: true) }

    // MARK: Bytes

    /// Adds bytes that were received or read.
    func add(_ bytes: Int) {
        let (isHeld, canPause) = state.withLock { ($0.holders > 0, $0.canPause) }
        if isHeld { owner.receive(bytes, id, priority?(), canPause: canPause) }
    }

    /// Records that the body is complete.
    func complete() { if priority != nil { owner.complete(id) } }

    /// Rereads the priority.
    func updatePriority() { if let priority { owner.setPriority(priority(), of: id) } }

    /// Passes the body to this many callers, each of which releases it.
    func hold(for callers: Int) {
        state.withLock { if $0.holders > 0 { $0.holders += callers } }
        release()
    }

    /// Releases one holder: the body was decoded, rejected or passed on.
    func release() { release(all: false) }

    private func release(all: Bool) {
        let isLast = state.withLock { state in
            guard state.holders > 0 else { return false }
            state.holders = all ? 0 : state.holders - 1
            return state.holders == 0
        }
        if isLast { owner.release(id) }
    }

    // MARK: The transfer

    var demand: Demand { state.withLock { $0.demand } }

    /// Sets what to call, on any thread, when ``demand`` has changed.
    func onDemand(canPause: Bool, _ call: @escaping @Sendable () -> Void) {
        state.withLock { ($0.onDemand, $0.canPause) = (call, canPause) }
    }

    /// The total time for which the transfer has been paused.
    var pausedTime: Duration {
        let now = owner.now
        return state.withLock { $0.pausedTime + ($0.pausedAt.map { now - $0 } ?? .zero) }
    }

    /// Whether the transfer is paused, or has been since the last call.
    func takePause() -> Bool {
        state.withLock { state in
            defer { state.hasPaused = state.pausedAt != nil }
            return state.hasPaused
        }
    }

    /// Called under the owner's lock, so the last demand is the owner's last decision.
    fileprivate func demand(_ demand: Demand, now: Duration) {
        state.withLock { state in
            if let pausedAt = state.pausedAt.take() { state.pausedTime += now - pausedAt }
            state.demand = demand
            guard demand == .nothing else { return }
            (state.pausedAt, state.hasPaused) = (now, true)
        }
    }

    fileprivate func notify() { state.withLock { $0.onDemand }?() }
}
