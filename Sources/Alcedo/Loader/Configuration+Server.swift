extension ImageLoader.Configuration {
    /// The defaults for a server: 32 downloads at once. The limit for one origin,
    /// ``DownloadCoordinator/Settings/hostWidth``, is the default one.
    public static var server: Self {
        var configuration = Self()
        configuration.download.width = 32
        return configuration
    }
}
