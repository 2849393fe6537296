public import Foundation

/// An image as a file for a client, with the header fields to send with it.
public struct EncodedImage: Sendable {
    /// The bytes of the file.
    public let data: Data
    /// The format of the file; nil for a format that the library doesn't know, of an encoder that chooses.
    public let format: ImageFormat?
    /// The properties of the file that are known without its bytes.
    public let head: Head

    /// The properties of a file that a response to a client names.
    public struct Head: Sendable {
        /// The entity tag of the file, with its quotes.
        ///
        /// A digest of the source's own tag or date, of everything in the request that affects pixels, and of
        /// ``FileEncoding/identity``; weak where the source's is, or where it has only a date. Without either, and if
        /// the request has header fields or credentials of its own, a digest of the file.
        public let etag: String
        /// Where the file, or the bytes that it was made from, came from.
        public let source: ImageSource
        /// Why the file is used although the source's response is stale; nil otherwise.
        public let staleReason: StaleReason?
        /// Nil if no server was involved.
        let exchange: ImageResponse.Exchange?

        /// How long the source's response may be used. Nil if no server was involved, as for files.
        public var freshness: Freshness? { exchange?.response.freshness }

        /// The response of the source's server; see ``ImageResponse/head``.
        public var sourceHead: ResponseHead? {
            exchange.map { $0.response.head(at: $0.url, cachedAt: source == .network ? nil : $0.answered) }
        }

        /// The fields `ETag`, `Last-Modified` and `Cache-Control` of a response with the file, or of one with the
        /// status 304 in its place.
        ///
        /// The file may be kept for as long as its source: `max-age` is the rest of the source's lifetime, and
        /// `private`, `no-store`, `no-cache`, `must-revalidate`, `immutable` and the times for stale use are the
        /// source's. There is no `Cache-Control` where the source has no lifetime of its own. A service whose choice of
        /// encoder depends on its client's request adds `Vary`.
        public var headers: HTTPHeaders {
            var headers: HTTPHeaders = ["ETag": etag]
            guard let exchange else { return headers }
            headers["Last-Modified"] = exchange.response.headers.validator("Last-Modified")?.value
            headers["Cache-Control"] = exchange.response.cacheControl(at: exchange.answered)
            return headers
        }
    }

    /// The fields of ``Head/headers``, and `Content-Type`.
    public var headers: HTTPHeaders {
        var headers = head.headers
        headers["Content-Type"] = format?.mediaTypes.first
        return headers
    }
}

/// An encoded image, or that a client has it already.
public enum ConditionalImage: Sendable {
    /// The file, for a response with the status 200.
    case modified(EncodedImage)
    /// The client has the file: answer with the status 304 and ``EncodedImage/Head/headers``.
    case notModified(EncodedImage.Head)
}
