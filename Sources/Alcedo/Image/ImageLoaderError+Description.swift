public import Foundation

extension ImageLoaderError: CustomStringConvertible, LocalizedError {
    /// One line that says what went wrong.
    public var description: String { words(url: { $0 }, program: { "\($0)" }) }

    /// The description with URLs shown without user name, password, query and fragment.
    var publicText: String { words(url: { $0.withoutSecrets }, program: { "\($0)" }) }

    /// One English sentence that says what went wrong. URLs are shown without user name, password, query and fragment.
    public var errorDescription: String? {
        let words = words(url: { $0.withoutSecrets }, program: { $0.error.localizedDescription })
        return words.prefix(1).uppercased() + words.dropFirst() + (words.hasSuffix(".") ? "" : ".")
    }

    /// - Parameters:
    ///   - url: how a URL is shown.
    ///   - program: how an error of the program is shown.
    private func words(url: (String) -> String, program: (UnderlyingError) -> String) -> String {
        switch self {
        case .cancelled: "the load was cancelled"
        case .closed: "the loader was closed"
        case .overloaded(let allowed): "too many loads: \(allowed) wait already"
        case .invalidURL(let text, let reason): "the URL \(url(text)) can't be loaded: \(reason)"
        case .unsupportedScheme(let scheme): "unsupported scheme: \(scheme)"
        case .unsupportedConfiguration(let reason): "unsupported configuration: \(reason)"
        case .notCached: "the image is in no cache, and the request allows no other source"
        case .prepareFailed(let error): "the request couldn't be prepared: \(program(error))"
        case .authenticationFailed(let error): "the credentials couldn't be supplied: \(program(error))"
        case .sourceFailed(let error): "the image couldn't be provided: \(program(error))"
        case .storeFailed(let error): "the store failed: \(program(error))"
        case .unsupportedSelection(let selection): "the store can't list its entries to find \(selection)"
        case .invalidHeader(let name): "the header field \(name) can't be sent"
        case .fileUnreadable(let path, let reason): "can't read \(path): \(reason)"
        case .destinationRefused("", let reason): "the network policy doesn't allow it: \(reason)"
        case .destinationRefused(let host, let reason): "the network policy doesn't allow \(host): \(reason)"
        case .connectionFailed(let failure, let detail): "\(failure.words): \(detail)"
        case .timedOut(.idle): "timed out: the server sent nothing for too long"
        case .timedOut(.total): "timed out: the transfer took too long"
        case .timedOut(.tooSlow): "timed out: the server sent too slowly while other downloads waited"
        case .timedOut(.deadline): "timed out: the image wasn't there before the request's deadline"
        case .redirectRefused(let location, let reason): "the redirect to \(url(location)) was refused: \(reason)"
        case .badStatus(let status): "the server answered with status \(status)"
        case .contentTypeRefused(""): "the response has no media type"
        case .contentTypeRefused(let type): "the response has the media type \(type), which isn't accepted"
        case .malformedResponse(let detail): "the response is malformed: \(detail)"
        case .truncated(let received, let expected?): "the body ended after \(received) of \(expected) bytes"
        case .truncated(let received, nil): "the body ended too early, after \(received) bytes"
        case .emptyBody: "the image has no bytes"
        case .notAnImage(let found): "not an image: \(found)"
        case .unsupportedFormat(let format): "no decoder for \(format.rawValue) images" + (format.traitHint ?? "")
        case .unsupportedImage(let format, let reason): "unsupported \(format.rawValue) image: \(reason)"
        case .corruptImage(let format, let reason): "corrupt \(format.rawValue) image: \(reason)"
        case .encodingFailed(let format, let reason): "can't encode as \(format.rawValue): \(reason)"
        case .invalidProcessor(let processor, let parameter, let value):
            "\(processor) can't work with \(parameter) = \(value)"
        case .processingFailed(let processor, let error): "\(processor) failed: \(program(error))"
        case .limitExceeded(let limit, let value, let allowed): "\(limit.words): \(value), and the limit is \(allowed)"
        }
    }
}

extension ImageFormat {
    /// A hint at the package trait that adds the decoder, for formats that Alcedo can read.
    fileprivate var traitHint: String? {
        let traits: [ImageFormat: String] = [
            .jpeg: "JPEG", .png: "PNG", .gif: "GIF", .webp: "WebP", .avif: "AVIF", .bmp: "BMP", .ico: "BMP",
            .heic: "HEIC", .tiff: "TIFF", .jxl: "JPEGXL",
        ]
        return traits[self].map { "; on Linux, the trait \($0) brings one" }
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
        case .requestBytes: "too many bytes of URL and request header"
        case .headerBytes: "too many bytes of response header"
        case .expansion: "body grows too much when it is decoded, by a factor"
        case .redirects: "too many redirects"
        case .imageSide: "image side too long or below 1, in pixels"
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

extension String {
    /// This text, which should be a URL, without parts that may be secret: everything before an "@" in its authority,
    /// its query and its fragment. At most the first 200 characters.
    var withoutSecrets: String {
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
