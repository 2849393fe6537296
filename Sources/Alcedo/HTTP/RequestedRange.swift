/// The single range of bytes that a request asks for (RFC 9110 section 14.1.2).
enum RequestedRange: Hashable, Sendable {
    /// From one position through another, or to the end.
    case from(Int, through: Int?)
    /// This many bytes at the end.
    case last(Int)

    /// Parses a request's fields. Returns nil unless the request asks for exactly one range of bytes, whatever the
    /// version of the resource.
    init?(_ headers: HTTPHeaders) {
        guard let text = headers["Range"], headers["If-Range"] == nil else { return nil }
        var scanner = FieldScanner(text)
        guard scanner.skip("bytes=") else { return nil }
        if scanner.skip("-") {
            guard let count = scanner.number(), scanner.isAtEnd else { return nil }
            self = .last(count)
            return
        }
        guard let first = scanner.number(), scanner.skip("-") else { return nil }
        if scanner.isAtEnd {
            self = .from(first, through: nil)
            return
        }
        guard let last = scanner.number(), scanner.isAtEnd, first <= last else { return nil }
        self = .from(first, through: last)
    }

    /// The positions in a body of this length; nil if the body has none of them.
    func positions(in length: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<min(last ?? .max, length - 1) + 1
        case .last(let count): return count > 0 && length > 0 ? max(0, length - count)..<length : nil
        }
    }
}
