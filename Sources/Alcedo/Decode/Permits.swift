import Synchronization

/// Permits for work with bitmaps, limited by count and by bytes. The most urgent waiting work goes first.
final class Permits: Sendable {
    private let state: Mutex<State>

    private struct State {
        var queue: SlotQueue<UInt64>
        var waiters: [UInt64: Promise<Bool>] = [:]
        /// The cancellations of work that runs only while no other work waits.
        var guests: [UInt64: DecodeCancellation] = [:]
        /// Callers that wait until no work has a permit.
        var settlers: [Promise<Void>] = []
        private var lastID: UInt64 = 0

        init(_ queue: SlotQueue<UInt64>) { self.queue = queue }

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }

        mutating func take(_ granted: [UInt64]) -> [Promise<Bool>] {
            granted.compactMap { waiters.removeValue(forKey: $0) }
        }
    }

    /// - Parameters:
    ///   - count: The maximum amount of work that runs at a time.
    ///   - bytes: The maximum number of bytes of all running work together. Work that needs more runs alone.
    init(count: Int, bytes: Int) {
        state = Mutex(State(SlotQueue(width: count, weightLimit: bytes)))
    }

    /// The amounts of waiting and running work, and the priority of the next work.
    var counts: (waiting: Int, running: Int, next: RequestPriority?) {
        state.withLock { ($0.queue.waitingCount, $0.queue.running.count, $0.queue.nextPriority) }
    }

    /// Lowers the limit in bytes, for work that begins from now on.
    func limit(toBytes bytes: Int) { state.withLock { $0.queue.weightLimit = min($0.queue.weightLimit, bytes) } }

    /// Waits for a permit and runs `work` with it.
    ///
    /// - Parameter control: Provides the priority, even while waiting; nil means normal priority.
    /// - Throws: ``ImageLoaderError/cancelled``, immediately if the Task is cancelled while it waits.
    func withPermit<Value: Sendable>(
        bytes: Int, _ control: LoadControl?, _ work: () async throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value {
        guard let id = await permit(bytes: bytes, control) else { throw .cancelled }
        defer { giveBack(id) }
        return try await work()
    }

    /// Returns a permit for work of the lowest priority; nil unless one is free now.
    ///
    /// - Parameter guest: Cancelled when other work has to wait.
    func ifFree(_ guest: DecodeCancellation? = nil) -> UInt64? {
        let (id, isFree) = state.withLock { state in
            let id = state.makeID()
            let isFree = state.queue.request(id, priority: .veryLow)
            if isFree { state.guests[id] = guest }
            return (id, isFree)
        }
        if isFree { return id }
        giveBack(id)
        return nil
    }

    /// Waits for a permit and returns its id; nil when the Task was cancelled first.
    private func permit(bytes: Int, _ control: LoadControl?) async -> UInt64? {
        if Task.isCancelled { return nil }
        let priority = control?.priority ?? .normal
        let (id, promise, guests) = state.withLock { state -> (UInt64, Promise<Bool>?, [DecodeCancellation]) in
            let id = state.makeID()
            if state.queue.request(id, weight: bytes, priority: priority) { return (id, nil, []) }
            let promise = Promise<Bool>()
            state.waiters[id] = promise
            return (id, promise, Array(state.guests.values))
        }
        guard let promise else { return id }
        for guest in guests { guest.cancel() }
        control?.onChange { [weak control] in
            if let control { self.updatePriority(of: id, control) }
        }
        defer { control?.onChange(nil) }
        // The priority may have changed since it was read.
        if let control { updatePriority(of: id, control) }
        return await promise.value { leave(id) } ? id : nil
    }

    private func updatePriority(of id: UInt64, _ control: LoadControl) {
        let priority = control.priority
        let granted = state.withLock { $0.take($0.queue.setPriority(priority, of: id)) }
        for promise in granted { promise.end(true) }
    }

    /// Stops waiting. Work that already has its permit gives it back when it ends.
    private func leave(_ id: UInt64) {
        guard let promise = state.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
        giveBack(id)
        promise.end(false)
    }

    func giveBack(_ id: UInt64) {
        let (granted, settlers) = state.withLock { state -> ([Promise<Bool>], [Promise<Void>]) in
            if !state.guests.isEmpty { state.guests[id] = nil }
            let granted = state.take(state.queue.release(id))
            guard !state.settlers.isEmpty, state.queue.running.isEmpty else { return (granted, []) }
            defer { state.settlers = [] }
            return (granted, state.settlers)
        }
        for promise in granted { promise.end(true) }
        for promise in settlers { promise.end(()) }
    }

    /// Waits until no work has a permit.
    func settle() async {
        let promise = state.withLock { state -> Promise<Void>? in
            if state.queue.running.isEmpty { return nil }
            let promise = Promise<Void>()
            state.settlers.append(promise)
            return promise
        }
        await promise?.value()
    }
}
