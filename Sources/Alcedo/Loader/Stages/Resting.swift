extension LoadPath {
    /// Releases the threads, connections and files that are kept for further loads.
    func rest() async {
        await downloads.transfer.loader.closeIdleConnections()
        await disk?.rest()
        decoding.workers.rest()
        local.rest()
    }
}
