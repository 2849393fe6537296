package import Foundation

/// The beginning of a body whose transfer broke, with all that is needed to ask for the rest.
///
/// A wrong join would be a damaged picture that looks whole, so a part is kept, and its continuation accepted, only
/// when the server's own words leave no doubt.
package struct PartialBody: Sendable, Equatable {
    /// The head of the response that the first bytes came with; that of the whole once the rest has come.
    package let head: ResponseHead
    package let body: Data
    /// What the server knows the representation by: an entity tag or a date.
    package let validator: String
    /// Bytes of the whole, when the server announced them.
    package let total: Int?

    /// nil when this response can't be continued.
    ///
    /// - Parameters:
    ///   - head: of the response with status 200; for one that was continued and broke again, still the first.
    ///   - body: all bytes so far.
    ///   - now: seconds since 1970, for dates with a year of two digits.
    package init?(_ head: ResponseHead, body: Data, method: String = "GET", now: Int64) {
        guard method == "GET", head.status == 200, !body.isEmpty, body.count < head.expectedBytes ?? .max,
            head.headers.acceptsByteRanges, head.headers.isNotCoded, !head.headers.forbidStoring,
            let validator = head.headers.strongValidator(now: now)
        else { return nil }
        self.head = head
        self.body = body
        self.validator = validator
        total = head.expectedBytes
    }

    /// The fields that ask for the rest, or for the whole if it has changed (RFC 9110 sections 14.2 and 13.1.5), as it
    /// is: the rest of a coded body would be useless.
    package var requestFields: HTTPHeaders {
        ["Range": "bytes=\(body.count)-", "If-Range": validator, "Accept-Encoding": "identity"]
    }

    /// What a response to such a request is good for.
    package enum Answer: Equatable, Sendable {
        /// Its body follows the bytes that are there; together they are so many.
        case rest(total: Int)
        /// Its body is the whole, from the first byte on.
        case whole
        /// Nothing of it can be used, and the part is worth nothing either: to be asked again without a range.
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

    /// The length of the whole, when the answer is exactly the rest of this part. Several ranges in one body
    /// (multipart/byteranges) come without a `Content-Range` of their own.
    private func total(of answer: ResponseHead) -> Int? {
        guard let field = answer.headers["Content-Range"], let range = ContentRange(field), let bytes = range.bytes,
            let total = range.total ?? total, total == self.total ?? total,
            bytes.lowerBound == body.count, bytes.upperBound == total - 1,
            answer.expectedBytes ?? bytes.count == bytes.count, isSameRepresentation(answer)
        else { return nil }
        return total
    }

    /// Whether the answer has the strong validator that was sent (RFC 9110 section 15.3.7.3), and nothing that
    /// describes another representation. The media type may be missing, as the request had an `If-Range` (section
    /// 15.3.7).
    private func isSameRepresentation(_ answer: ResponseHead) -> Bool {
        // A validator is that of one URL.
        guard answer.url == head.url, answer.headers["ETag"] == head.headers["ETag"],
            BodyCodings(answer.headers).names == BodyCodings(head.headers).names
        else { return false }
        if let type = answer.headers.mediaType, type != head.headers.mediaType { return false }
        return head.headers["ETag"] != nil || answer.headers["Last-Modified"] == validator
    }
}

extension ImageLoaderError {
    /// Whether what came before it is worth to be continued.
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

    /// The bytes are the picture's own: ranges of a coded body are those of the code.
    fileprivate var isNotCoded: Bool { BodyCodings(self).arePlain }

    /// The type of `Content-Type` without its parameters, in lower case.
    fileprivate var mediaType: String? {
        self["Content-Type"].map { $0.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace } }
    }

    /// The entity tag when it is a strong one; without any tag, the date of the last change when it is strong. A date
    /// must not stand in for a tag that is weak (RFC 9110 section 13.1.5).
    fileprivate func strongValidator(now: Int64) -> String? {
        if let tag = self["ETag"] { return tag.isStrongEntityTag ? tag : nil }
        // Two changes within one second have the same date; so long after the last one, it is sure that none followed,
        // even if two clocks were read.
        guard let change = self["Last-Modified"], let changed = HTTPDate(change, now: now), let date = self["Date"],
            let sent = HTTPDate(date, now: now), sent.secondsSince1970 - changed.secondsSince1970 >= 60
        else { return nil }
        return change
    }
}

extension String {
    /// In quotes, without `W/`, and with nothing in it that a field's value or a tag may not have.
    fileprivate var isStrongEntityTag: Bool {
        let quote = UInt8(ascii: "\"")
        return utf8.count >= 2 && utf8.first == quote && utf8.last == quote
            && utf8.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != quote }
    }
}
