// Calling a program's store.

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
        let call = StoreCall(time, deadline, isCancelled: true) { await Result.ofStore(work) }
        switch await call.answer(isLate: isLate) {
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
    ///   - name: The name of the change in its event; nil for the source.
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
        let call = StoreCall(time, waits ? nil : settings.deadline, isCancelled: false) { [self] in
            await change.isDue()
            let result = await Result.ofStore { [self] () async throws(ImageLoaderError) in
                try await finishRemovals(of: source)
                try await work(change.ticket)
            }
            if case .failure(let error) = result { report(operation, name, "\(error)") }
            ledger.end(change, isDone: result.isSuccess)
            return result
        }
        if case .failure(let error)? = await call.answer() { return Outcome(ticket: change.ticket, error: error) }
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
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
