extension ImageLoaderError: CustomStringConvertible {
    /// One line that says what was wrong.
    public var description: String {
        switch self {
        case .cancelled: "cancelled"
        case .invalidURL(let text, let reason): "not a URL that can be loaded: \(text): \(reason)"
        case .unsupportedScheme(let scheme): "unsupported scheme: \(scheme)"
        case .unsupportedConfiguration(let reason): "unsupported configuration: \(reason)"
        case .notCached: "in no cache, and nothing else was to be asked"
        case .prepareFailed(let error): "the request could not be prepared: \(error)"
        case .sourceFailed(let error): "the source of the bytes failed: \(error)"
        case .invalidHeader(let name): "a header field that can't be sent: \(name)"
        case .fileUnreadable(let path, let reason): "can't read \(path): \(reason)"
        case .connectionFailed(let failure, let detail): "\(failure.words): \(detail)"
        case .timedOut(.idle): "timed out: no byte came for too long"
        case .timedOut(.total): "timed out: the transfer took too long"
        case .timedOut(.tooSlow): "timed out: the transfer was too slow while others waited for its slot"
        case .redirectRefused(let location, let reason): "redirect to \(location) refused: \(reason)"
        case .badStatus(let status): "the server answered with status \(status)"
        case .contentTypeRefused(""): "a response without a media type, which is not taken"
        case .contentTypeRefused(let type): "a response of the media type \(type), which is not taken"
        case .malformedResponse(let detail): "malformed response: \(detail)"
        case .truncated(let received, let expected?): "the body ended after \(received) of \(expected) bytes"
        case .truncated(let received, nil): "the body ended too early, after \(received) bytes"
        case .emptyBody: "the body is empty"
        case .notAnImage(let found): "not an image: \(found)"
        case .unsupportedFormat(let format): "no decoder for \(format.rawValue) images"
        case .unsupportedImage(let format, let reason): "unsupported \(format.rawValue) image: \(reason)"
        case .corruptImage(let format, let reason): "corrupt \(format.rawValue) image: \(reason)"
        case .encodingFailed(let format, let reason): "can't encode as \(format.rawValue): \(reason)"
        case .limitExceeded(let limit, let value, let allowed): "\(limit.words): \(value), allowed are \(allowed)"
        }
    }
}

extension ImageLoaderError.ConnectionFailure {
    fileprivate var words: String {
        switch self {
        case .hostNotFound: "host not found"
        case .refused: "no connection"
        case .lost: "connection lost"
        case .insecure: "no secure connection"
        case .other: "connection failed"
        }
    }
}

extension ImageLoaderError.Limit {
    fileprivate var words: String {
        switch self {
        case .inputBytes: "too many bytes"
        case .headerBytes: "response head too long, in bytes"
        case .redirects: "too many redirects"
        case .imageSide: "picture side too long or below 1, in pixels"
        case .imagePixels: "too many pixels"
        case .bitmapBytes: "bitmap too large, in bytes"
        case .jpegScans: "too many scans"
        case .metadataBytes: "metadata too large, in bytes"
        case .frames: "too many frames"
        case .animationPixels: "animation too large, in pixels"
        case .encodedBytes: "encoded file too large, in bytes"
        }
    }
}
