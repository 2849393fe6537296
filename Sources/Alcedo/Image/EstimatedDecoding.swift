/// A decoder that estimates the memory and time of a decode.
///
/// For other decoders, a loader reserves the memory of all pixels, and switches threads for each decode.
public protocol EstimatedDecoding: ImageDecoding {
    /// Estimates the cost of ``ImageDecoding/decode(_:_:)``.
    ///
    /// - Parameters:
    ///   - header: The result of ``ImageDecoding/header(of:limits:)``.
    ///   - byteCount: The size of the file in bytes.
    ///   - request: The request that the image would be decoded with.
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the bitmap exceeds a limit.
    func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost
}

/// The memory and time that a decode takes.
public struct DecodeCost: Sendable, Hashable {
    /// The peak memory in bytes, which a loader reserves before the decode starts.
    ///
    /// A codec that scales while it reads needs less than the memory of all pixels; one that collects all scans first
    /// needs more.
    public var workingBytes: Int
    /// The usual maximum duration of the decode; nil, the default, if it isn't known.
    ///
    /// Up to 150 µs, a loader decodes on the cooperative pool, because switching threads would cost more than it saves.
    /// A codec that may block or wait must leave it nil.
    public var time: Duration?

    /// Creates a cost.
    public init(workingBytes: Int, time: Duration? = nil) {
        self.workingBytes = workingBytes
        self.time = time
    }
}
