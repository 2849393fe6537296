extension ImageSlot {
    /// Waits until no load is under way, and returns ``phase``: `success`, `failure`, or `empty` if the slot is empty
    /// or its load was cancelled. Returns at once if nothing is being loaded.
    ///
    /// If another load takes the place of the current one meanwhile, the wait goes on until that has ended, too.
    /// ``onChange`` has been called for the end. ``shown`` may follow later, with ``Settings/minimumInterval``. The
    /// slot is retained meanwhile.
    ///
    /// Cancelling the calling Task ends the wait at once, and not the load; the phase is then as it is.
    @discardableResult public func settled() async -> Phase {
        while isLoading, !Task.isCancelled {
            let (ends, settler) = AsyncStream.makeStream(of: Void.self)
            let id = (settlers.keys.max() ?? 0) + 1
            settlers[id] = settler
            // Ends with the load, or when the Task is cancelled.
            for await _ in ends {}
            // Not before: the id must be unique until then.
            settlers[id] = nil
        }
        return phase
    }

    /// Resumes those that wait, unless another load has begun.
    func settle() {
        if settlers.isEmpty || isLoading { return }
        for settler in settlers.values { settler.finish() }
    }
}
