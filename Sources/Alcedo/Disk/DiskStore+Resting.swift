extension DiskStore {
    /// Closes the files and ends the threads until they are needed again.
    func rest() async {
        if orders.last > 0 { await writer.run { [index = work.index] in index.close() } }
        work.warm.reopen()
        for threads in [readers, writer, maintenance] { threads.rest() }
    }
}
