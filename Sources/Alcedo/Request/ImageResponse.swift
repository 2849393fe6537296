/// A loaded picture, where it came from and what it took.
public struct ImageResponse: Sendable {
    /// The picture.
    public let image: DecodedImage
    /// Where it was found.
    public let source: ImageSource
    /// How long the server's response that it came by may be used, also of one that was found in a cache; nil where
    /// there was none, as for files, or where it did not say.
    public let freshness: Freshness?
    /// How long it took.
    public let timings: LoadTimings
}

/// Where a picture was found.
public enum ImageSource: String, Sendable, Hashable, CaseIterable {
    /// Decoded already, in the memory cache.
    case memory
    /// Its bytes were in the disk cache.
    case disk
    /// Downloaded.
    case network
    /// A file of this machine, a data URL, or bytes of the program's own.
    case local
}

/// How long a load took; a stage that was not needed is nil.
///
/// Callers that share a load share its stages too. For one that came late, a stage may be longer than the total.
public struct LoadTimings: Sendable, Hashable {
    /// From the call to its return, as this caller saw it.
    public internal(set) var total: Duration = .zero
    /// Reading the disk cache or a local file.
    public internal(set) var disk: Duration?
    /// The download, waiting for its turn included.
    public internal(set) var download: Duration?
    /// Decoding, waiting for its turn included.
    public internal(set) var decode: Duration?
}
