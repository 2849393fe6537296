public import Foundation

/// An image encoded as a file for a client, with the header fields to send with it.
public struct EncodedImage: Sendable {
    /// The bytes of the file.
    public let data: Data
    /// The format of the file; nil if the encoder chose a format that the library doesn't know.
    public let format: ImageFormat?
    /// The properties of the file that are known without its bytes.
    public let head: Head

    /// The properties of a file that a response to a client contains besides its bytes.
    public struct Head: Sendable {
        /// The entity tag of the file, with its quotes.
        ///
        /// The tag is a digest of the source's own tag or date, of everything in the request that affects pixels, and
        /// of ``FileEncoding/identity``. It is weak if the source's tag is weak, or if the source has only a date. If
        /// the source has neither, or if the request has header fields or credentials of its own, the tag is a digest
        /// of the file.
        public let etag: String
        /// The source of the file, or of the bytes that it was made from.
        public let source: ImageSource
        /// The reason for using the file although the source's response is stale; nil if it isn't stale.
        public let staleReason: StaleReason?
        /// Nil if no server was involved.
        let exchange: ImageResponse.Exchange?

        /// The freshness of the source's response: how long it may be used. Nil if no server was involved, as for
        /// files.
        public var freshness: Freshness? { exchange?.response.freshness }

        /// The response of the source's server; see ``ImageResponse/head``.
        public var sourceHead: ResponseHead? {
            exchange.map { $0.response.head(at: $0.url, cachedAt: source == .network ? nil : $0.answered) }
        }

        /// The header fields `ETag`, `Last-Modified` and `Cache-Control` for a response with the file, or with the
        /// status 304 in place of the file.
        ///
        /// The file may be kept for as long as its source: `max-age` is the remaining lifetime of the source, and
        /// `private`, `no-store`, `no-cache`, `must-revalidate`, `immutable` and the times for stale use are taken from
        /// the source. There is no `Cache-Control` if the source has no lifetime of its own. If your choice of encoder
        /// depends on the client's request, add `Vary`.
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

/// An encoded image, or only its head if the client already has the file.
public enum ConditionalImage: Sendable {
    /// The file, for a response with the status 200.
    case modified(EncodedImage)
    /// The client has the file: answer with the status 304 and ``EncodedImage/Head/headers``.
    case notModified(EncodedImage.Head)
}
