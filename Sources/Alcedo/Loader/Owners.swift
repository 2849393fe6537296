/// The owners given to a loader; nil for those it creates itself.
struct Owners {
    let memory: MemoryCache?
    let disk: DiskStore?
    let downloads: DownloadCoordinator?

    /// An owner keeps its own settings, so settings for it would have no effect.
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
