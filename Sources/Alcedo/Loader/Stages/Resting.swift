extension LoadPath {
    /// Gives back threads, connections and files that wait for further loads.
    func rest() async {
        await downloads.transfer.loader.closeIdleConnections()
        await disk?.rest()
        decoding.workers.rest()
        local.rest()
    }
}
