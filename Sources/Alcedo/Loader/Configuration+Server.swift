extension ImageLoader.Configuration {
    /// How a loader works in a server: 32 downloads at once, of one origin as many as ever, over `CurlDataLoader` where
    /// the package is built with the trait Curl on Linux, and over ``URLSessionDataLoader`` otherwise.
    ///
    /// Each use makes a transport of its own; it connects to nothing before the first load.
    public static var server: Self {
        var configuration = Self()
        configuration.download.width = 32
        configuration.dataLoader = serverDataLoader(connectionsPerHost: configuration.download.width)
        return configuration
    }
}

#if os(Linux) && Curl
private func serverDataLoader(connectionsPerHost: Int) -> (any DataLoading)? {
    var settings = TransportSettings()
    settings.connectionsPerHost = connectionsPerHost
    return CurlDataLoader(settings)
}
#else
/// The loader makes one for itself, for as many connections as it has downloads.
private func serverDataLoader(connectionsPerHost: Int) -> (any DataLoading)? { nil }
#endif
