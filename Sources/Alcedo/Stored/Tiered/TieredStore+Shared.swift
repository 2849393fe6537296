import Synchronization

// Calls of the shared store.

extension TieredStore {
    // MARK: Asking

    /// Calls the shared store. Returns nil without calling it while it is paused.
    ///
    /// - Parameters:
    ///   - limit: The longest wait; nil waits until the store answers.
    ///   - key: The key of a look-up, which is cancelled with the calling Task, and whose failure is reported. Nil for
    ///     a list, whose failure is thrown.
    func ask<Value: Sendable>(
        within limit: Duration?, for key: StoredKey? = nil,
        _ call: @escaping @Sendable (any ImageStore) async throws(ImageLoaderError) -> Value
    ) async -> Result<Value, ImageLoaderError>? {
        let now = time.now()
        guard state.withLock({ $0.breaker.begin(at: now) }) else { return nil }
        let answer = await StoreCall(time, limit, isCancelled: key != nil) { [shared] in
            await Result.ofStore { () async throws(ImageLoaderError) in try await call(shared) }
        }.answer { [self] _ in
            state.withLock { $0.breaker.abandon() }
            return { [self] in state.withLock { $0.breaker.endAbandoned() } }
        }
        let outcome = answer ?? .failure(SharedStoreProblem.timeout.error)
        let isCancelled = key != nil && Task.isCancelled
        if let key, !isCancelled, case .failure(let error) = outcome { report(.read, key, error) }
        note(outcome, isCancelled: isCancelled)
        return outcome
    }

    /// Tells the breaker how a call of the shared store has ended.
    private func note<Value>(_ outcome: Result<Value, ImageLoaderError>, isCancelled: Bool = false) {
        switch outcome {
        case .success: end(.success)
        case .failure(.unsupportedSelection): end(.success)
        case .failure: end(isCancelled ? .unknown : .failure)
        }
    }

    private func end(_ outcome: CircuitBreaker.Outcome) {
        let now = time.now()
        let (change, dropped, due) = state.withLock { state in
            let change = state.breaker.end(outcome, at: now)
            guard change == .opened else { return (change, [WriteBacklog.Write](), [Promise<Void>]()) }
            let (dropped, ready) = state.backlog.removeAll()
            return (change, dropped, state.takeWaiting(ready))
        }
        // Released here, and not under the lock.
        withExtendedLifetime(dropped) {}
        for promise in due { promise.end(()) }
        switch change {
        case .opened: onEvent(.paused)
        case .closed: onEvent(.resumed)
        case nil: break
        }
    }

    func report(_ operation: CacheFailure.Operation, _ key: StoredKey, _ error: ImageLoaderError) {
        onEvent(.failed(CacheFailure(operation: operation, path: key.source, reason: "\(error)")))
    }

    // MARK: Writing

    /// Queues a write, unless the shared store is paused.
    func writeLater(_ body: StoredBody?, _ metadata: StoredMetadata) {
        if metadata.key.isPrivate { return }
        let write = WriteBacklog.Write(body, metadata)
        let added = state.withLock { state -> (dropped: [WriteBacklog.Write], startsWriter: Bool) in
            guard state.breaker.isClosed else { return ([], false) }
            return state.backlog.add(write)
        }
        for write in added.dropped { onEvent(.dropped(write.metadata.key)) }
        if added.startsWriter { Task.detached { await self.carryOutWrites() } }
    }

    private func carryOutWrites() async {
        while let (write, change) = nextWrite() {
            await change?.isDue()
            let outcome = await Result.ofStore { [self] () async throws(ImageLoaderError) in try await carryOut(write) }
            if let change { sharedChanges.end(change) }
            if case .failure(let error) = outcome { report(.write, write.metadata.key, error) }
            note(outcome)
            let due = state.withLock { state in state.takeWaiting(state.backlog.end(write)) }
            for promise in due { promise.end(()) }
        }
    }

    /// Takes a write from the queue. A removal either finds it there, or waits for its end.
    private func nextWrite() -> (WriteBacklog.Write, StoreLedger.Change?)? {
        state.withLock { state in
            state.backlog.next().map { ($0, sharedChanges.change(.write, $0.metadata.key.name.source)) }
        }
    }

    @concurrent private func carryOut(_ write: WriteBacklog.Write) async throws(ImageLoaderError) {
        var metadata = write.metadata
        if write.isRemoval { return try await shared.removeEntries(.keys([metadata.key])) }
        if write.body == nil, metadata.check == nil {
            // The local store checks bodies itself, and keeps no checksums.
            guard let stored = try await shared.entry(for: metadata.key, reading: .metadata),
                stored.metadata.version == metadata.version
            else { return }
            metadata.check = stored.metadata.check
        }
        try await shared.store(write.body, metadata)
    }

    // MARK: Removing

    func removeShared(_ selection: StoredSelection) async -> Result<Void, ImageLoaderError> {
        let second = time.secondsSince1970()
        let (removed, due, change) = state.withLock { state in
            let removed = state.backlog.remove(selection, at: second)
            let change = sharedChanges.change(.replacement, selection.sourceDigest)
            return (removed, state.takeWaiting(removed.ready), change)
        }
        for promise in due { promise.end(()) }
        await change?.isDue()
        let outcome = await Result.ofStore { [shared] () async throws(ImageLoaderError) in
            try await shared.removeEntries(selection)
            // Of these entries, the store may have older versions, which aren't in the selection.
            if !removed.keys.isEmpty { try await shared.removeEntries(.keys(removed.keys)) }
        }
        if let change { sharedChanges.end(change) }
        note(outcome)
        return outcome
    }
}

extension TieredStore.State {
    fileprivate mutating func takeWaiting(_ numbers: [UInt64]) -> [Promise<Void>] {
        numbers.compactMap { waiting.removeValue(forKey: $0) }
    }
}
