/// Everything that can go wrong with a load, in one type.
///
/// Every public call of Alcedo that throws throws this type. A cancelled load is always ``cancelled``, never
/// `CancellationError`. Nothing is cached of a load that ended with an error. A cache that fails is not an error: the
/// load goes on and the failure is reported as ``LoadEvent/Kind/cacheFailed(_:)``.
@nonexhaustive
public enum ImageLoaderError: Error, Sendable, Equatable {
    /// The caller's Task was cancelled, before or during the load.
    case cancelled

    // MARK: The request

    /// The text is no URL that could be loaded: it does not parse, has no scheme, or lacks a host.
    case invalidURL(String, reason: String)
    /// The URL's scheme is none of those that Alcedo loads.
    case unsupportedScheme(String)
    /// A header field can't be sent: its name is no token (RFC 9110 section 5.6.2), or its value has a line break or a
    /// null character.
    case invalidHeader(name: String)
    /// A local file could not be opened or read, or is larger than the limit; `reason` is the system's words where it
    /// was the system.
    case fileUnreadable(path: String, reason: String)

    /// What was configured can't be done here; the text says what and why. Nothing was sent.
    case unsupportedConfiguration(String)
    /// The request is to be served from the caches only, and they do not have it.
    case notCached
    /// The hook that prepares requests threw. Nothing was sent.
    case prepareFailed(UnderlyingError)
    /// The closure that was to bring the bytes threw.
    case sourceFailed(UnderlyingError)

    // MARK: The transfer

    /// There was no connection, or it broke; `detail` is what the transport said.
    case connectionFailed(ConnectionFailure, detail: TransportDetail)
    /// The transfer took longer than the limit that is named.
    case timedOut(Timeout)
    /// A redirect led to a place that is not followed.
    case redirectRefused(location: String, reason: String)
    /// The server answered with a status that is not accepted: by default one that is not from 200 to 299.
    case badStatus(Int)
    /// The response is of a media type that is not on the list of those that are taken; empty when it has none.
    case contentTypeRefused(String)
    /// What came is not an HTTP response that can be trusted.
    case malformedResponse(String)
    /// The body ended before its announced length; `expected` is nil when the length was not announced.
    case truncated(received: Int, expected: Int?)
    /// The response is a success without a single byte, or a local file is empty.
    case emptyBody

    // MARK: The picture

    /// The bytes are no image; `found` says what they look like.
    case notAnImage(found: String)
    /// A format for which no decoder is registered.
    case unsupportedFormat(ImageFormat)
    /// A flavour of a format that its decoder does not read.
    case unsupportedImage(ImageFormat, reason: String)
    /// The bytes claim to be of the format, and break its rules or end too early.
    case corruptImage(ImageFormat, reason: String)
    /// A bitmap could not be encoded.
    case encodingFailed(ImageFormat, reason: String)

    /// A limit was reached: which one, what was asked for, and what is allowed.
    case limitExceeded(Limit, value: Int, allowed: Int)

    /// Why there is no connection: the name is unknown, nobody answers, it broke, it could not be made secure, or none
    /// of these.
    public enum ConnectionFailure: Sendable, Equatable {
        case hostNotFound, refused, lost, insecure, other
    }

    /// Which clock ran out.
    public enum Timeout: Sendable, Equatable {
        /// No byte came for the idle time.
        case idle
        /// The whole transfer took too long.
        case total
        /// The transfer was slower than ``DownloadCoordinator/Settings/minimumRate`` while another download waited
        /// for its slot.
        case tooSlow
    }

    /// The limits that input from outside is held against.
    public enum Limit: String, Sendable, Equatable {
        /// Bytes of a response body, a local file or a data URL.
        case inputBytes
        /// Bytes of a response's header fields.
        case headerBytes
        /// Redirects followed for one request.
        case redirects
        /// A side of a picture, in pixels: too long, or less than 1.
        case imageSide
        /// Width × height of a picture.
        case imagePixels
        /// Bytes of the decoded bitmap.
        case bitmapBytes
        /// Scans of a progressive JPEG.
        case jpegScans
        /// Bytes of one metadata block that is read (EXIF, ICC profile).
        case metadataBytes
        /// Frames of an animation.
        case frames
        /// Width × height of an animation.
        case animationPixels
        /// Bytes of a file that was to be written.
        case encodedBytes
    }
}

/// What a transport said of a failure.
public struct TransportDetail: Sendable, Equatable, CustomStringConvertible {
    /// The transport's own text.
    public let text: String
    /// The transport's own code: a `CURLcode` of libcurl, or the raw value of a `URLError.Code`; nil if it has none.
    public let code: Int?

    /// A detail with this text.
    public init(_ text: String, code: Int? = nil) {
        self.text = text
        self.code = code
    }

    /// The text.
    public var description: String { text }
}

extension TransportDetail: ExpressibleByStringLiteral {
    /// A detail with this text and without a code.
    public init(stringLiteral text: String) { self.init(text) }
}

/// An error of the program's own, thrown by a hook of its own.
public struct UnderlyingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was thrown.
    public let error: any Error

    /// An error that wraps `error`, as a test or a transport of the program's own may need it.
    public init(_ error: any Error) { self.error = error }

    /// Its own words.
    public var description: String { "\(error)" }

    /// Equal when both are of one type and say the same.
    public static func == (left: Self, right: Self) -> Bool {
        type(of: left.error) == type(of: right.error) && left.description == right.description
    }
}

extension ImageLoaderError {
    /// What the program's own code threw, as the loader tells it: as it is where it is the loader's kind of error. Code
    /// that was cancelled may say so in its own way; code that was not may have cancelled something else, which is no
    /// cancellation of whoever waits here.
    static func ofProgram(_ error: any Error, _ wrap: (UnderlyingError) -> ImageLoaderError) -> ImageLoaderError {
        if Task.isCancelled { return .cancelled }
        if let error = error as? ImageLoaderError, error != .cancelled { return error }
        return wrap(UnderlyingError(error))
    }
}
