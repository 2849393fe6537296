/// A loaded picture, where it came from and what it took.
public struct ImageResponse: Sendable {
    public let image: DecodedImage
    public let source: ImageSource
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
    /// A file of this machine.
    case local
}

/// How long a load took; a stage that was not needed, or was done for an earlier caller, is nil.
public struct LoadTimings: Sendable, Hashable {
    /// From the call to its return.
    public internal(set) var total: Duration = .zero
    /// Reading the disk cache or a local file.
    public internal(set) var disk: Duration?
    /// The download, waiting for its turn included.
    public internal(set) var download: Duration?
    /// Decoding, waiting for its turn included.
    public internal(set) var decode: Duration?
}
