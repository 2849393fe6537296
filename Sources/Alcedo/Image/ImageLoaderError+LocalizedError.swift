public import Foundation

extension ImageLoaderError: LocalizedError {
    /// One English sentence that says what was wrong. URLs are shown without user name, password, query and fragment.
    public var errorDescription: String? {
        switch self {
        case .cancelled: "The load was cancelled."
        case .invalidURL(let text, let reason): "The URL \(text.withoutSecrets) can't be loaded: \(reason)."
        case .unsupportedScheme(let scheme): "URLs with the scheme \(scheme) can't be loaded."
        case .invalidHeader(let name): "The header field \(name) can't be sent."
        case .fileUnreadable(let path, let reason): "The file \(path) can't be read: \(reason)."
        case .unsupportedConfiguration(let reason): "This configuration isn't supported: \(reason)."
        case .notCached: "The image is in no cache, and the request allows no other source."
        case .prepareFailed(let error): "The request couldn't be prepared: \(error.error.localizedDescription)"
        case .sourceFailed(let error): "The image couldn't be provided: \(error.error.localizedDescription)"
        case .connectionFailed(let failure, let detail): "\(failure.sentence): \(detail)."
        case .timedOut(.idle): "The server sent nothing for too long."
        case .timedOut(.total): "The download took too long."
        case .timedOut(.tooSlow): "The server sent too slowly while other downloads waited."
        case .redirectRefused(let location, let reason):
            "The redirect to \(location.withoutSecrets) was refused: \(reason)."
        case .badStatus(let status): "The server answered with status \(status)."
        case .contentTypeRefused(""): "The response has no media type."
        case .contentTypeRefused(let type): "The response has the media type \(type), which isn't accepted."
        case .malformedResponse(let detail): "The response is malformed: \(detail)."
        case .truncated(let received, let expected?): "The response ended after \(received) of \(expected) bytes."
        case .truncated(let received, nil): "The response ended too early, at byte \(received)."
        case .emptyBody: "The response or file is empty."
        case .notAnImage(let found): "The data isn't an image: \(found)."
        case .unsupportedFormat(let format): "There is no decoder for \(format.rawValue) images."
        case .unsupportedImage(let format, let reason): "This \(format.rawValue) image isn't supported: \(reason)."
        case .corruptImage(let format, let reason): "This \(format.rawValue) image is damaged: \(reason)."
        case .encodingFailed(let format, let reason): "The image can't be encoded as \(format.rawValue): \(reason)."
        case .limitExceeded(let limit, let value, let allowed):
            "\(limit.subject) is \(value), and the limit is \(allowed)."
        }
    }
}

extension ImageLoaderError.ConnectionFailure {
    fileprivate var sentence: String {
        switch self {
        case .hostNotFound: "The server wasn't found"
        case .refused: "The server can't be reached"
        case .lost: "The connection to the server was lost"
        case .insecure: "There is no secure connection to the server"
        case .other: "The connection to the server failed"
        }
    }
}

extension ImageLoaderError.Limit {
    fileprivate var subject: String {
        switch self {
        case .inputBytes: "The number of bytes"
        case .headerBytes: "The number of bytes in the response's header"
        case .redirects: "The number of redirects"
        case .imageSide: "The length of the image's side in pixels"
        case .imagePixels: "The number of pixels"
        case .bitmapBytes: "The number of bytes of the bitmap"
        case .jpegScans: "The number of scans"
        case .metadataBytes: "The number of bytes of metadata"
        case .frames: "The number of frames"
        case .animationPixels: "The number of pixels of the animation"
        case .encodedBytes: "The number of bytes of the encoded file"
        }
    }
}

extension String {
    /// A URL, or what should have been one, without what may be secret: all before an "@" in its authority, its query
    /// and its fragment. No more than its first 200 characters.
    fileprivate var withoutSecrets: String {
        let plain = prefix { $0 != "?" && $0 != "#" }
        var start = plain.startIndex
        if let slash = plain.firstIndex(of: "/"), plain[slash...].hasPrefix("//") {
            start = plain.index(slash, offsetBy: 2)
        }
        let authority = plain[start...].prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { plain.index(after: $0) } ?? start
        return String((plain[..<start] + plain[host...]).prefix(200))
    }
}
