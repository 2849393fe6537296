/// The owners that the program passed to a loader; nil for those that the loader creates.
struct Owners {
    let memory: MemoryCache?
    let disk: StoredTier?
    let downloads: DownloadCoordinator?

    /// Returns an error if the configuration has settings for an owner that was passed. They would have no effect,
    /// because an owner keeps its own settings.
    func problem(_ configuration: ImageLoader.Configuration) -> ImageLoaderError? {
        if memory != nil, configuration.setsMemory { return twice("memory cache", "memory") }
        if disk != nil, configuration.setsDisk { return twice("disk cache", "disk") }
        if downloads != nil, configuration.setsDownload {
            return twice("download coordinator", "download and Configuration.dataLoader")
        }
        return nil
    }

    private func twice(_ owner: String, _ setting: String) -> ImageLoaderError {
        .unsupportedConfiguration("a \(owner) is given, so Configuration.\(setting) must not be set")
    }
}
