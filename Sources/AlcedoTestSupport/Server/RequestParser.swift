import Alcedo

/// Splits the client's bytes into requests. It performs no I/O.
///
/// Bodies of a known length are skipped. Anything that isn't a request ends the connection with a status.
struct RequestParser {
    enum Event: Equatable {
        /// The bytes so far don't contain another complete request.
        case needsMore
        case request(LoopbackServer.RecordedRequest)
        /// The connection is unusable. It is answered with `status` and closed.
        case refuse(status: Int)
    }

    static let headLimit = 64 << 10

    private var buffer: [UInt8] = []
    /// The index of the first unread byte.
    private var start = 0
    /// The position up to which the end of the head was searched for.
    private var scanned = 0
    /// The number of remaining bytes of a body.
    private var skip = 0

    /// The number of bytes that were fed but not read yet.
    var bufferedCount: Int { buffer.count - start }

    /// Whether the rest of a request's body is still expected.
    var isInBody: Bool { skip > 0 }

    mutating func feed(_ bytes: some Collection<UInt8>) {
        let skipped = min(skip, bytes.count)
        skip -= skipped
        buffer.append(contentsOf: bytes.dropFirst(skipped))
    }

    mutating func next() -> Event {
        skipEmptyLines()
        guard let end = findHeadEnd() else {
            return bufferedCount > Self.headLimit ? .refuse(status: 431) : .needsMore
        }
        guard end - start <= Self.headLimit else { return .refuse(status: 431) }
        let head = Array(buffer[start..<end])
        consume(to: end)
        return parse(head)
    }

    // MARK: Bytes

    /// Empty lines before a request are ignored (RFC 9112 section 2.2).
    private mutating func skipEmptyLines() {
        while start < buffer.count, buffer[start] == 13 || buffer[start] == 10 { start += 1 }
        scanned = max(scanned, start)
    }

    /// The index after the empty line that ends the head; nil if it hasn't arrived.
    private mutating func findHeadEnd() -> Int? {
        var index = scanned
        while index < buffer.count {
            if buffer[index] == 10 {
                if index > start, buffer[index - 1] == 10 { return index + 1 }
                if index > start + 1, buffer[index - 1] == 13, buffer[index - 2] == 10 { return index + 1 }
            }
            index += 1
        }
        scanned = index
        return nil
    }

    private mutating func consume(to end: Int) {
        start = end
        scanned = end
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            (start, scanned) = (0, 0)
        } else if start > Self.headLimit {
            buffer.removeFirst(start)
            (start, scanned) = (0, 0)
        }
    }

    // MARK: Text

    private mutating func parse(_ head: [UInt8]) -> Event {
        let lines = head.split { $0 == 10 || $0 == 13 }
        let parts = String(decoding: lines.first ?? [], as: UTF8.self).split(separator: " ")
        guard parts.count == 3, parts[2].hasPrefix("HTTP/") else { return .refuse(status: 400) }
        guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else { return .refuse(status: 505) }
        var fields: [HTTPHeaders.Field] = []
        for line in lines.dropFirst() {
            guard let field = Self.field(line) else { return .refuse(status: 400) }
            fields.append(field)
        }
        let headers = HTTPHeaders(fields)
        guard headers["Transfer-Encoding"] == nil else { return .refuse(status: 501) }
        if let length = headers["Content-Length"] {
            guard let count = Int(length), count >= 0 else { return .refuse(status: 400) }
            skipBody(count)
        }
        let connection = headers["Connection"]?.lowercased() ?? ""
        let keepsAlive = parts[2] == "HTTP/1.1" ? connection != "close" : connection == "keep-alive"
        return .request(
            LoopbackServer.RecordedRequest(
                method: String(parts[0]), target: String(parts[1]), headers: headers, keepsAlive: keepsAlive))
    }

    private static func field(_ line: ArraySlice<UInt8>) -> HTTPHeaders.Field? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex else { return nil }
        let value = line[(colon + 1)...].drop { $0 == 32 || $0 == 9 }
        let end = value.lastIndex { $0 != 32 && $0 != 9 }
        return HTTPHeaders.Field(
            name: String(decoding: line[..<colon], as: UTF8.self), bytes: end.map { value[...$0] } ?? [])
    }

    private mutating func skipBody(_ count: Int) {
        let present = min(count, bufferedCount)
        consume(to: start + present)
        skip = count - present
    }
}
