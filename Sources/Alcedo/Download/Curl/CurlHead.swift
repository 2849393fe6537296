#if os(Linux) && Curl
/// The heads of one response as curl delivers them, line by line: informational ones, the final one, and the trailer.
struct CurlHead {
    /// The status of the current head.
    private(set) var status = 0
    private(set) var fields: [HTTPHeaders.Field] = []
    /// The length in bytes of all fields so far, and of everything in informational heads.
    var fieldBytes: Int { byteCount - uncounted }
    private var byteCount = 0
    /// The length in bytes of the lines that begin and end the current head.
    private var uncounted = 0
    /// Whether the current head has begun, with its status line, and not ended.
    private var isOpen = false
    /// Whether the final head has arrived, including the empty line that ends it.
    private(set) var isComplete = false
    /// Whether the response arrived over HTTP/2.
    private(set) var isMultiplexed = false
    /// The codings of all heads so far. libcurl sets up a decoder for transfer codings of informational ones too.
    private var codings = BodyCodings()

    /// Processes one line, including its line ending. Returns whether it completes the final head.
    ///
    /// - Throws: ``ImageLoaderError/malformedResponse(_:)`` at the end of a head that can't be followed by a body;
    ///   ``ImageLoaderError/connectionFailed(_:detail:)`` at the beginning of a second response.
    mutating func take(_ line: UnsafeRawBufferPointer) throws(ImageLoaderError) -> Bool {
        byteCount += line.count
        if isComplete {
            // If a server demands it, libcurl repeats the request over HTTP/1.1 on its own, even in the middle of a
            // body.
            if line.starts(with: "HTTP/".utf8) {
                throw .connectionFailed(.lost, detail: "the server broke off, and began another response")
            }
            // The final head may be followed by a trailer, which is ignored.
            return false
        }
        // libcurl ends a head only here: a line of whitespace doesn't.
        if line[0] == 0x0A || line[0] == 0x0D {
            uncounted += line.count
            return try end()
        }
        let text = line.trimmed
        if !isOpen {
            begin(line, text)
        } else if line[0].isBlank {
            continueField(text)
        } else if let colon = line.firstIndex(of: 0x3A) {
            let name = UnsafeRawBufferPointer(rebasing: line[..<colon]).trimmed
            let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmed
            fields.append(HTTPHeaders.Field(name: String(decoding: name, as: UTF8.self), bytes: value))
        }
        return false
    }

    private mutating func begin(_ line: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer) {
        isOpen = true
        uncounted = line.count
        status = line.starts(with: "HTTP/".utf8) ? Self.status(text) : 0
        isMultiplexed = line.starts(with: "HTTP/2".utf8)
        fields = []
        fields.reserveCapacity(16)
    }

    private mutating func end() throws(ImageLoaderError) -> Bool {
        isOpen = false
        codings.add(HTTPHeaders(fields))
        try codings.requireOneLayer()
        try codings.requirePlainTransfer()
        guard status >= 100 else { throw .malformedResponse("a head without a status") }
        if status == 101 { throw .malformedResponse("a switch to another protocol, which was not asked for") }
        isComplete = status >= 200
        return isComplete
    }

    /// Appends a line to the last field's value. The lines of a value (RFC 9112 section 5.2) are joined by spaces.
    private mutating func continueField(_ text: UnsafeRawBufferPointer) {
        guard let last = fields.indices.last, !text.isEmpty else { return }
        fields[last] = HTTPHeaders.Field(name: fields[last].name, bytes: fields[last].bytes + [0x20] + text)
    }

    private static func status(_ line: UnsafeRawBufferPointer) -> Int {
        guard let space = line.firstIndex(of: 0x20) else { return 0 }
        let digits = line[(space + 1)...].prefix(while: \.isDigit)
        return digits.count == 3 ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : 0
    }

    /// The final head, once it is complete, as the response to `request`.
    func response(to request: DataRequest) throws(ImageLoaderError) -> ResponseHead {
        try ResponseHead(status: status, from: request.url, HTTPHeaders(fields), to: request)
    }
}

extension UnsafeRawBufferPointer {
    /// These bytes without the surrounding whitespace and line endings.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: trimmed { $0 == 0x20 || (0x09...0x0D).contains($0) })
    }
}
#endif
