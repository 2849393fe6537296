import Alcedo
public import Foundation

extension LoopbackServer.Reply {
    /// The reply of a static file server to `request`.
    ///
    /// The status is 304 if the client has the version `etag`, and 206 or 416 for a byte range. Otherwise, the whole of
    /// `body` is sent, including when `If-Range` names another version.
    ///
    /// - Parameters:
    ///   - body: The complete resource.
    ///   - contentType: The value of `Content-Type`; nil for none.
    ///   - etag: The entity tag with its quotes, sent and compared unchanged; nil for none.
    ///   - request: `If-None-Match`, `If-Range` and a `Range` with one range are honored.
    public static func resource(
        _ body: Data, contentType: String? = nil, etag: String? = nil, for request: LoopbackServer.RecordedRequest
    ) -> Self {
        var reply = bytes(body, contentType: contentType).header("Accept-Ranges", "bytes")
        reply.headers["ETag"] = etag
        if let etag, request.headers["If-None-Match"] == etag {
            reply.status = 304
            return reply
        }
        let ifRange = request.headers["If-Range"]
        guard ifRange == nil || ifRange == etag, let field = request.headers["Range"],
            let bounds = RangeBounds(field)
        else { return reply }
        guard let range = bounds.resolved(in: body.count) else {
            reply.status = 416
            reply.body = Data()
            return reply.header("Content-Range", "bytes */\(body.count)")
        }
        reply.status = 206
        reply.body = body[(body.startIndex + range.lowerBound)..<(body.startIndex + range.upperBound)]
        return reply.header("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)")
    }
}

/// A `Range` field with one range of bytes (RFC 9110 section 14.1.2): `bytes=1-2`, `bytes=1-` or `bytes=-2`.
struct RangeBounds: Equatable {
    let first: Int?
    let last: Int?

    /// Nil for anything else, because such a field is ignored.
    init?(_ field: String) {
        guard field.hasPrefix("bytes=") else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.isEmpty || Int($0) != nil }) else { return nil }
        first = Int(parts[0])
        last = Int(parts[1])
        if first == nil, last == nil { return nil }
        if let first, let last, first > last { return nil }
    }

    /// The range as offsets; nil if no part of it is in a body of `count` bytes.
    func resolved(in count: Int) -> Range<Int>? {
        guard let first else {
            guard let last, last > 0, count > 0 else { return nil }
            return (count - min(last, count))..<count
        }
        guard first < count else { return nil }
        guard let last, last < count else { return first..<count }
        return first..<(last + 1)
    }
}
