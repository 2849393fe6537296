import Synchronization

extension ImageLoader {
    /// A loader for the whole program, created on first use with the default configuration, or with the one passed to
    /// ``configureShared(_:)``.
    public static let shared = ImageLoader(sharedSettings.withLock { $0.use() })

    /// Sets the configuration of ``shared``. Call this once, before its first use, such as when the program starts.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` if the shared loader exists or has been configured
    ///   already. An invalid configuration isn't reported here: every load throws its error, as with any loader.
    public static func configureShared(_ configuration: Configuration) throws(ImageLoaderError) {
        try sharedSettings.withLock { (settings) throws(ImageLoaderError) in try settings.set(configuration) }
    }

    private static let sharedSettings = Mutex(SharedSettings())
}

/// The configuration of the shared loader.
struct SharedSettings: Sendable {
    private enum State: Sendable {
        case unset
        case set(ImageLoader.Configuration)
        case used
    }

    private var state = State.unset

    mutating func set(_ configuration: ImageLoader.Configuration) throws(ImageLoaderError) {
        guard case .unset = state else {
            throw .unsupportedConfiguration("the shared loader is configured once, before its first use")
        }
        state = .set(configuration)
    }

    /// Returns the configuration for the loader, which can't be configured afterwards.
    mutating func use() -> ImageLoader.Configuration {
        defer { state = .used }
        return if case .set(let configuration) = state { configuration } else { .init() }
    }
}
