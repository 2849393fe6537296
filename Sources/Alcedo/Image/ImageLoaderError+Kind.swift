extension ImageLoaderError {
    /// The kind of an error without its details, to compare or count errors.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        /// The name of the case, such as "badStatus".
        public let rawValue: String

        /// The kind of the case with this name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The case without its details.
    public var kind: Kind {
        switch self {
        case .cancelled: .cancelled
        case .closed: .closed
        case .overloaded: .overloaded
        case .invalidURL: .invalidURL
        case .unsupportedScheme: .unsupportedScheme
        case .invalidHeader: .invalidHeader
        case .fileUnreadable: .fileUnreadable
        case .unsupportedConfiguration: .unsupportedConfiguration
        case .notCached: .notCached
        case .prepareFailed: .prepareFailed
        case .authenticationFailed: .authenticationFailed
        case .sourceFailed: .sourceFailed
        case .storeFailed: .storeFailed
        case .unsupportedSelection: .unsupportedSelection
        case .destinationRefused: .destinationRefused
        case .connectionFailed: .connectionFailed
        case .timedOut: .timedOut
        case .redirectRefused: .redirectRefused
        case .badStatus: .badStatus
        case .contentTypeRefused: .contentTypeRefused
        case .malformedResponse: .malformedResponse
        case .truncated: .truncated
        case .emptyBody: .emptyBody
        case .notAnImage: .notAnImage
        case .unsupportedFormat: .unsupportedFormat
        case .unsupportedImage: .unsupportedImage
        case .corruptImage: .corruptImage
        case .encodingFailed: .encodingFailed
        case .invalidProcessor: .invalidProcessor
        case .processingFailed: .processingFailed
        case .limitExceeded: .limitExceeded
        }
    }
}

extension ImageLoaderError.Kind {
    /// ``ImageLoaderError/cancelled``.
    public static let cancelled = Self(rawValue: "cancelled")
    /// ``ImageLoaderError/closed``.
    public static let closed = Self(rawValue: "closed")
    /// ``ImageLoaderError/overloaded(allowed:)``.
    public static let overloaded = Self(rawValue: "overloaded")
    /// ``ImageLoaderError/invalidURL(_:reason:)``.
    public static let invalidURL = Self(rawValue: "invalidURL")
    /// ``ImageLoaderError/unsupportedScheme(_:)``.
    public static let unsupportedScheme = Self(rawValue: "unsupportedScheme")
    /// ``ImageLoaderError/invalidHeader(name:)``.
    public static let invalidHeader = Self(rawValue: "invalidHeader")
    /// ``ImageLoaderError/fileUnreadable(path:reason:)``.
    public static let fileUnreadable = Self(rawValue: "fileUnreadable")
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    public static let unsupportedConfiguration = Self(rawValue: "unsupportedConfiguration")
    /// ``ImageLoaderError/notCached``.
    public static let notCached = Self(rawValue: "notCached")
    /// ``ImageLoaderError/prepareFailed(_:)``.
    public static let prepareFailed = Self(rawValue: "prepareFailed")
    /// ``ImageLoaderError/authenticationFailed(_:)``.
    public static let authenticationFailed = Self(rawValue: "authenticationFailed")
    /// ``ImageLoaderError/sourceFailed(_:)``.
    public static let sourceFailed = Self(rawValue: "sourceFailed")
    /// ``ImageLoaderError/storeFailed(_:)``.
    public static let storeFailed = Self(rawValue: "storeFailed")
    /// ``ImageLoaderError/unsupportedSelection(_:)``.
    public static let unsupportedSelection = Self(rawValue: "unsupportedSelection")
    /// ``ImageLoaderError/destinationRefused(host:reason:)``.
    public static let destinationRefused = Self(rawValue: "destinationRefused")
    /// ``ImageLoaderError/connectionFailed(_:detail:)``.
    public static let connectionFailed = Self(rawValue: "connectionFailed")
    /// ``ImageLoaderError/timedOut(_:)``.
    public static let timedOut = Self(rawValue: "timedOut")
    /// ``ImageLoaderError/redirectRefused(location:reason:)``.
    public static let redirectRefused = Self(rawValue: "redirectRefused")
    /// ``ImageLoaderError/badStatus(_:)``.
    public static let badStatus = Self(rawValue: "badStatus")
    /// ``ImageLoaderError/contentTypeRefused(_:)``.
    public static let contentTypeRefused = Self(rawValue: "contentTypeRefused")
    /// ``ImageLoaderError/malformedResponse(_:)``.
    public static let malformedResponse = Self(rawValue: "malformedResponse")
    /// ``ImageLoaderError/truncated(received:expected:)``.
    public static let truncated = Self(rawValue: "truncated")
    /// ``ImageLoaderError/emptyBody``.
    public static let emptyBody = Self(rawValue: "emptyBody")
    /// ``ImageLoaderError/notAnImage(found:)``.
    public static let notAnImage = Self(rawValue: "notAnImage")
    /// ``ImageLoaderError/unsupportedFormat(_:)``.
    public static let unsupportedFormat = Self(rawValue: "unsupportedFormat")
    /// ``ImageLoaderError/unsupportedImage(_:reason:)``.
    public static let unsupportedImage = Self(rawValue: "unsupportedImage")
    /// ``ImageLoaderError/corruptImage(_:reason:)``.
    public static let corruptImage = Self(rawValue: "corruptImage")
    /// ``ImageLoaderError/encodingFailed(_:reason:)``.
    public static let encodingFailed = Self(rawValue: "encodingFailed")
    /// ``ImageLoaderError/invalidProcessor(_:parameter:value:)``.
    public static let invalidProcessor = Self(rawValue: "invalidProcessor")
    /// ``ImageLoaderError/processingFailed(processor:_:)``.
    public static let processingFailed = Self(rawValue: "processingFailed")
    /// ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
    public static let limitExceeded = Self(rawValue: "limitExceeded")
}
