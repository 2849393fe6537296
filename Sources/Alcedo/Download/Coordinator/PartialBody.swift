import Foundation

/// The beginning of a body whose transfer was interrupted, with everything needed to request the rest.
///
/// Joining the wrong parts would yield a damaged image that looks intact. So a part is stored, and its continuation
/// accepted, only when the server's header fields leave no doubt.
package struct PartialBody: Sendable, Equatable {
    /// The head of the response that the first bytes came with. It becomes the head of the whole response once the rest
    /// has arrived.
    package let head: ResponseHead
    package let body: Body
    /// The server's identifier of the representation: an entity tag or a date.
    package let validator: HTTPHeaders.Field
    /// The length of the whole body in bytes, if the server announced it.
    package let total: Int?

    /// Nil when this response can't be continued.
    ///
    /// - Parameter head: If the body was continued and interrupted again, still that of the first response.
    package init?(_ head: ResponseHead, body: Body, method: String = "GET", now: Int64) {
        guard method == "GET", head.status == 200, !body.isEmpty, body.count < head.expectedBytes ?? .max,
            // Ranges of a coded body refer to its coded bytes.
            head.headers.acceptsByteRanges, BodyCodings(head.headers).arePlain, !head.headers.forbidStoring,
            let validator = head.headers.strongValidator(now: now)
        else { return nil }
        self.head = head
        self.body = body
        self.validator = validator
        total = head.expectedBytes
    }

    /// The fields that request the rest, or the whole if it has changed (RFC 9110 sections 14.2 and 13.1.5). They ask
    /// for no content coding, because the rest of a coded body would be useless.
    package var requestFields: HTTPHeaders {
        var fields: HTTPHeaders = ["Range": "bytes=\(body.count)-", "Accept-Encoding": "identity"]
        fields.append(validator.named("If-Range"))
        return fields
    }

    /// The possible uses of the response to such a request.
    package enum Answer: Equatable, Sendable {
        /// The body continues the part; `total` is the length of both together in bytes.
        case rest(total: Int)
        /// The body is the whole, from the first byte on.
        case whole
        /// Neither the response nor the part can be used. Repeat the request without a range.
        case useless
        /// Any other status, which says nothing about the part.
        case failure
    }

    /// Judges the head of the response to a request with ``requestFields``.
    package func judge(_ answer: ResponseHead) -> Answer {
        switch answer.status {
        case 206: total(of: answer).map { .rest(total: $0) } ?? .useless
        case 416: .useless
        case 200...299: .whole
        default: .failure
        }
    }

    /// The length of the whole, if the response is exactly the rest of this part. A body with several ranges
    /// (multipart/byteranges) has no `Content-Range` in its head.
    private func total(of answer: ResponseHead) -> Int? {
        guard let field = answer.headers["Content-Range"], let range = ContentRange(field), let bytes = range.bytes,
            let total = range.total ?? total, total == self.total ?? total,
            bytes.lowerBound == body.count, bytes.upperBound == total - 1,
            answer.expectedBytes ?? bytes.count == bytes.count, isSameRepresentation(answer)
        else { return nil }
        return total
    }

    /// Whether the response has the strong validator that was sent (RFC 9110 section 15.3.7.3), and nothing that
    /// describes a different representation. The media type may be missing, because the request had an `If-Range`
    /// (section 15.3.7).
    private func isSameRepresentation(_ answer: ResponseHead) -> Bool {
        // A validator applies to one URL only.
        guard answer.url == head.url, answer.headers.haveValues(of: head.headers, for: "ETag"),
            BodyCodings(answer.headers).names == BodyCodings(head.headers).names
        else { return false }
        if let type = answer.headers.mediaType, type != head.headers.mediaType { return false }
        return head.headers["ETag"] != nil || answer.headers.haveValues(of: head.headers, for: "Last-Modified")
    }
}

extension ImageLoaderError {
    /// Whether the bytes received before this error are worth continuing.
    var leavesPart: Bool {
        switch self {
        case .limitExceeded(.inputBytes, _, _), .malformedResponse: false
        default: true
        }
    }
}

extension HTTPHeaders {
    fileprivate var acceptsByteRanges: Bool {
        (self["Accept-Ranges"] ?? "").lowercased().split { ", \t".contains($0) }.contains("bytes")
    }

    fileprivate func haveValues(of others: HTTPHeaders, for name: String) -> Bool {
        fields(of: name).elementsEqual(others.fields(of: name)) { $0.hasValue(of: $1) }
    }

    /// The media type in `Content-Type` without its parameters, in lower case.
    fileprivate var mediaType: String? {
        self["Content-Type"].map { $0.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace } }
    }

    /// The entity tag if it is strong. Without any tag, the date of the last change if it is strong. A date must not
    /// replace a weak tag (RFC 9110 section 13.1.5).
    fileprivate func strongValidator(now: Int64) -> Field? {
        if self["ETag"] != nil { return validator("ETag").flatMap { $0.value.isStrongEntityTag ? $0 : nil } }
        // Two changes within one second have the same date. This long after the last one, no other can have followed,
        // even if the dates come from two clocks.
        guard let change = validator("Last-Modified"), let changed = HTTPDate(change.value, now: now),
            let date = self["Date"],
            let sent = HTTPDate(date, now: now), sent.secondsSince1970 - changed.secondsSince1970 >= 60
        else { return nil }
        return change
    }
}

extension String {
    /// Whether the tag is in quotes, without `W/`, and without characters that aren't allowed in a field value or a
    /// tag.
    fileprivate var isStrongEntityTag: Bool {
        let quote = UInt8(ascii: "\"")
        return utf8.count >= 2 && utf8.first == quote && utf8.last == quote
            && utf8.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != quote }
    }
}
