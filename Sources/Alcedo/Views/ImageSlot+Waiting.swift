extension ImageSlot {
    /// Waits until no load is running, and returns ``phase``: `success`, `failure`, or `empty` if the slot is empty or
    /// its load was cancelled. Returns immediately if nothing is being loaded.
    ///
    /// If another load replaces the current one in the meantime, this waits for that one too. On return, ``onChange``
    /// has been called for the end of the load. ``shown`` may change later, with ``Settings/minimumInterval``. The slot
    /// is retained during the wait.
    ///
    /// Cancelling the calling Task ends the wait immediately, but not the load. The current phase is then returned.
    @discardableResult public func settled() async -> Phase {
        while isLoading, !Task.isCancelled {
            let (ends, settler) = AsyncStream.makeStream(of: Void.self)
            let id = (settlers.keys.max() ?? 0) + 1
            settlers[id] = settler
            // Ends with the load, or when the Task is cancelled.
            for await _ in ends {}
            // Not earlier, because the id must be unique until then.
            settlers[id] = nil
        }
        return phase
    }

    /// Resumes the waiting callers, unless another load has begun.
    func settle() {
        if settlers.isEmpty || isLoading { return }
        for settler in settlers.values { settler.finish() }
    }
}
