import Synchronization

// Calling a program's store. What it throws is caught on no actor: see Docs/Decisions/0017.

extension GuardedStore {
    /// Reads from the store. Returns nil, and reports why, if the store fails, doesn't answer within the deadline, or
    /// has left too many earlier reads without an answer.
    func read<Value: Sendable>(
        _ key: StoredKey, within deadline: Duration?,
        _ work: @escaping @Sendable () async throws(ImageLoaderError) -> Value
    ) async -> Value? {
        let source = key.name.source
        if deadline != nil, !late.permit(source) {
            report(.read, key.source, "earlier reads still wait for the store")
            return nil
        }
        let isLate = { @Sendable [late] (isCancelled: Bool) in late.begin(isCancelled ? nil : source) }
        switch await call(within: deadline, isLate: isLate, { await Self.outcome(work) }) {
        case .success(let value)?: return value
        case .failure(let error)?: if !Task.isCancelled { report(.read, key.source, "\(error)") }
        case nil: if !Task.isCancelled { report(.read, key.source, "no answer within the store's deadline") }
        }
        return nil
    }

    /// Begins a change, and carries it out when those before it have ended. Returns when it has ended, or the deadline
    /// has passed.
    ///
    /// First removes what an earlier removal failed to remove. Reports an error.
    ///
    /// - Parameters:
    ///   - source: The source that changes; nil if all may.
    ///   - name: What failed, for the event; nil for the source.
    ///   - ticket: Nil if the change depends on nothing earlier.
    ///   - bytes: The bytes that the change holds until it ends.
    ///   - waits: Whether to return only when the change has ended.
    @discardableResult
    func change(
        _ kind: LedgerTable.Kind, _ operation: CacheFailure.Operation, of source: String?, named name: String? = nil,
        begun ticket: Ticket? = nil, bytes: Int = 0, waits: Bool = false,
        _ work: @escaping @Sendable (Ticket) async throws(ImageLoaderError) -> Void
    ) async -> Outcome {
        let name = name ?? source ?? ""
        let change: StoreLedger.Change
        do throws(LedgerTable.Refusal) {
            change = try ledger.begin(kind, source.map(EntryName.digest(ofSource:)), begun: ticket, bytes: bytes)
        } catch {
            if error == .outdated { return Outcome() }
            report(operation, name, "\(error)")
            return Outcome(error: .storeFailed(UnderlyingError(error)))
        }
        let result = await call(within: waits ? nil : settings.deadline) { [self] in
            await change.isDue()
            let result = await Self.outcome { [self] () async throws(ImageLoaderError) in
                try await finishRemovals(of: source)
                try await work(change.ticket)
            }
            if case .failure(let error) = result { report(operation, name, "\(error)") }
            ledger.end(change, isDone: result.isSuccess)
            return result
        }
        if case .failure(let error)? = result { return Outcome(ticket: change.ticket, error: error) }
        return Outcome(ticket: change.ticket)
    }

    private func finishRemovals(of source: String?) async throws(ImageLoaderError) {
        let digest = source.map(EntryName.digest(ofSource:))
        switch (ledger.unremoved(digest), source) {
        case (.all, _):
            try await store.removeEntries(.all)
            ledger.clear(nil)
        case (.source, let source?):
            try await store.removeEntries(.source(source))
            ledger.clear(digest)
        default: break
        }
    }

    /// Calls the store in a Task of its own. Returns the call's value, or nil when the deadline has passed or the
    /// caller was cancelled first.
    ///
    /// - Parameters:
    ///   - deadline: How long the caller waits; nil if it waits until the end.
    ///   - isLate: Called when the caller no longer waits, because it was cancelled or because the deadline has passed.
    ///     What it returns is called when the call ends. With nil, neither the call nor the wait is cancelled with the
    ///     calling Task.
    private func call<Value: Sendable>(
        within deadline: Duration?, isLate: (@Sendable (_ isCancelled: Bool) -> @Sendable () -> Void)? = nil,
        _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (promise, ending) = (Promise<Value?>(), Promise<Void>())
        let task = Task {
            promise.end(await work())
            ending.end(())
        }
        // The call counts as late before its caller goes on, which may call the store again.
        @Sendable func giveUp(isCancelled: Bool) {
            let ended = isLate?(isCancelled) ?? { @Sendable in }
            if promise.end(nil) { ending.whenEnded { ended() } } else { ended() }
        }
        let alarm = deadline.map { deadline in
            Task { [time] in
                if await time.sleep(for: deadline) { giveUp(isCancelled: false) }
            }
        }
        defer { alarm?.cancel() }
        return await promise.value {
            guard isLate != nil else { return }
            task.cancel()
            giveUp(isCancelled: true)
        }
    }

    @concurrent private static func outcome<Value: Sendable>(
        _ call: @Sendable () async throws(ImageLoaderError) -> Value
    ) async -> Result<Value, ImageLoaderError> {
        do throws(ImageLoaderError) {
            return .success(try await call())
        } catch {
            return .failure(error)
        }
    }

    /// Returns the metadata of the selected entries.
    static func list(
        _ selection: StoredSelection, in store: any ImageStore
    ) async throws(ImageLoaderError) -> [StoredMetadata] {
        let found = Mutex<[StoredMetadata]>([])
        try await store.listEntries(selection) { part in found.withLock { $0 += part } }
        return found.withLock { $0 }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
