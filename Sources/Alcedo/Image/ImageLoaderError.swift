/// The error type of loads, and of all other functions of Alcedo that throw.
///
/// The only exceptions are ``ImageProcessing/process(_:_:)`` and ``AsyncImageProcessing/result(of:_:)``: a processor
/// may throw any error, which a load reports as ``processingFailed(processor:_:)``. A cancelled load always throws
/// ``cancelled``, never `CancellationError`. A load that ends with an error caches nothing. A failing cache is not an
/// error: the load continues, and the failure is reported as ``LoadEvent/Kind/cacheFailed(_:)``.
@nonexhaustive
public indirect enum ImageLoaderError: Error, Sendable, Equatable {
    // Indirect, because outcomes, events and states that may hold an error are copied far more often than an error
    // occurs.

    /// The calling Task was cancelled, before or during the load.
    case cancelled

    /// The loader was closed; see ``ImageLoader/close()``.
    case closed

    /// As many loads are waiting as ``ImageLoader/Configuration/maximumConcurrentLoads`` allows. This one wasn't
    /// started.
    case overloaded(allowed: Int)

    // MARK: The request

    /// The text isn't a URL that can be loaded: it can't be parsed, has no scheme, or lacks a host.
    case invalidURL(String, reason: String)
    /// Alcedo doesn't load URLs with this scheme.
    case unsupportedScheme(String)
    /// A header field can't be sent.
    ///
    /// Its name isn't a token (RFC 9110 section 5.6.2) or is reserved for the transport (see ``ImageRequest/headers``),
    /// or its value contains a line break or a null character.
    case invalidHeader(name: String)
    /// A local file couldn't be opened or read, or exceeds the limit.
    ///
    /// `reason` is the system's message if the system reported the failure.
    case fileUnreadable(path: String, reason: String)

    /// The configuration isn't supported here; the text says what and why.
    ///
    /// Nothing was sent.
    case unsupportedConfiguration(String)
    /// The request allows only cached images, and the caches don't have this one.
    case notCached
    /// The hook that prepares requests threw an error.
    ///
    /// Nothing was sent.
    case prepareFailed(UnderlyingError)
    /// The hook that supplies credentials threw an error.
    ///
    /// The server had answered with status 401.
    case authenticationFailed(UnderlyingError)
    /// The closure that provides the bytes threw an error.
    case sourceFailed(UnderlyingError)
    /// A store of the program's own failed, or hasn't carried out so many changes that no other begins; see
    /// ``ImageStore``.
    case storeFailed(UnderlyingError)
    /// A store can't list the entries to be removed; see ``ImageStore/listEntries(_:_:)``. Nothing was removed.
    case unsupportedSelection(String)

    // MARK: The transfer

    /// The loader's ``NetworkPolicy`` doesn't allow connecting to this host or loading a URL with this scheme.
    ///
    /// Nothing was sent to the host. After a redirect, this is the host that the redirect led to. The error is neither
    /// retried nor remembered.
    case destinationRefused(host: String, reason: String)
    /// No connection could be established, or it was lost; `detail` is the transport's message.
    case connectionFailed(ConnectionFailure, detail: TransportDetail)
    /// The transfer exceeded the specified time limit.
    case timedOut(Timeout)
    /// A redirect led to a location that isn't followed.
    case redirectRefused(location: String, reason: String)
    /// The server answered with a status that isn't accepted.
    ///
    /// By default, statuses from 200 to 299 are accepted.
    case badStatus(Int)
    /// The response's media type isn't in the list of accepted ones; the text is empty if the response has none.
    case contentTypeRefused(String)
    /// The response isn't an HTTP response that can be trusted.
    case malformedResponse(String)
    /// The body ended before its announced length or before the end of its coding; `expected` is nil if no length was
    /// announced.
    ///
    /// With `CurlDataLoader`, `received` counts the bytes as they were sent, before they are decoded.
    case truncated(received: Int, expected: Int?)
    /// The response is successful but its body has no bytes, or a local file is empty.
    case emptyBody

    // MARK: The image

    /// The bytes aren't an image; `found` says what they look like.
    case notAnImage(found: String)
    /// No decoder is registered for the format.
    case unsupportedFormat(ImageFormat)
    /// The file is a variant of the format that the decoder doesn't read.
    case unsupportedImage(ImageFormat, reason: String)
    /// The bytes claim to be of the format, but violate its rules or end too early.
    case corruptImage(ImageFormat, reason: String)
    /// A bitmap couldn't be encoded.
    case encodingFailed(ImageFormat, reason: String)
    /// A processor can't work with a parameter's value. Nothing was loaded, unless the check depends on the image, such
    /// as for a rectangle outside it.
    case invalidProcessor(String, parameter: String, value: String)
    /// A processor threw an error; `processor` is its type.
    case processingFailed(processor: String, UnderlyingError)

    /// A limit was exceeded: which one, the requested value, and the allowed one.
    case limitExceeded(Limit, value: Int, allowed: Int)

    /// The reason why there is no connection: the host name is unknown, the host can't be connected to, the connection
    /// was lost, it couldn't be secured, or none of these.
    public enum ConnectionFailure: Sendable, Equatable {
        case hostNotFound, refused, lost, insecure, other
    }

    /// The time limit that was exceeded.
    public enum Timeout: Sendable, Equatable {
        /// No byte arrived within the idle time.
        case idle
        /// The whole transfer took too long.
        case total
        /// The transfer was slower than ``DownloadCoordinator/Settings/minimumRate`` while another download waited for
        /// its slot, or received hardly anything for ten seconds while other transfers waited for it to make room; see
        /// ``BodyBudget``.
        case tooSlow
        /// The load took longer than its caller was willing to wait; see ``ImageRequest/deadline``.
        case deadline
    }

    /// The limits that external input is checked against.
    public enum Limit: String, Sendable, Equatable {
        /// Bytes of a response body, a local file or a data URL.
        case inputBytes
        /// Bytes of a request's head: its URL and header fields.
        case requestBytes
        /// Bytes of a response's header fields.
        case headerBytes
        /// The factor by which content coding enlarges a response body.
        case expansion
        /// Redirects followed for one request.
        case redirects
        /// The length of an image's side in pixels: too large, or less than 1.
        case imageSide
        /// Width × height of an image.
        case imagePixels
        /// Bytes of the decoded bitmap.
        case bitmapBytes
        /// Scans of a progressive JPEG.
        case jpegScans
        /// Bytes of a single metadata block that is read (EXIF, ICC profile).
        case metadataBytes
        /// Frames of an animation.
        case frames
        /// Width × height of an animation.
        case animationPixels
        /// Bytes of a file being written.
        case encodedBytes
    }
}

/// A transport's description of a failure.
public struct TransportDetail: Sendable, Equatable, CustomStringConvertible {
    /// The transport's message.
    public let text: String
    /// The transport's error code: a `CURLcode` of libcurl, or the raw value of a `URLError.Code`; nil if it has none.
    public let code: Int?

    /// Creates a detail with this text.
    public init(_ text: String, code: Int? = nil) {
        self.text = text
        self.code = code
    }

    /// The same as ``text``.
    public var description: String { text }
}

extension TransportDetail: ExpressibleByStringLiteral {
    /// Creates a detail with this text and without a code.
    public init(stringLiteral text: String) { self.init(text) }
}

/// An error thrown by the program's own code, such as a hook.
public struct UnderlyingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error that was thrown.
    public let error: any Error

    /// Creates an error that wraps `error`, for example in a test or in the program's own transport.
    public init(_ error: any Error) { self.error = error }

    /// The wrapped error's own description.
    public var description: String { "\(error)" }

    /// Whether both errors have the same type and the same description.
    public static func == (left: Self, right: Self) -> Bool {
        type(of: left.error) == type(of: right.error) && left.description == right.description
    }
}

extension ImageLoaderError {
    /// Converts an error thrown by the program's own code.
    ///
    /// If the calling Task was cancelled, the result is ``cancelled``, whatever the code threw. Otherwise an error of
    /// this type is returned unchanged, except for ``cancelled``: the code may have cancelled something else, which
    /// doesn't cancel the load. All other errors are wrapped.
    static func ofProgram(_ error: any Error, _ wrap: (UnderlyingError) -> ImageLoaderError) -> ImageLoaderError {
        if Task.isCancelled { return .cancelled }
        if let error = error as? ImageLoaderError, error != .cancelled { return error }
        return wrap(UnderlyingError(error))
    }

    /// Throws unless a setting is in its range. nil means a default, and is always valid.
    static func require<Value: Comparable>(
        _ name: String, _ value: Value?, least: Value, most: Value? = nil
    ) throws(ImageLoaderError) {
        // Written so that NaN is out of range.
        guard let value, !(value >= least && most.map { value <= $0 } ?? true) else { return }
        let range = most.map { "from \(least) to \($0)" } ?? "at least \(least)"
        throw .unsupportedConfiguration("\(name) is \(value), and must be \(range)")
    }

    /// Throws for a duration that is out of range or has a fraction of a second, because HTTP counts in whole seconds.
    static func requireSeconds(
        _ name: String, _ value: Duration, most: Duration? = nil
    ) throws(ImageLoaderError) {
        try require(name, value, least: .zero, most: most)
        guard value.components.attoseconds != 0 else { return }
        throw .unsupportedConfiguration("\(name) is \(value), and must be a whole number of seconds")
    }
}
