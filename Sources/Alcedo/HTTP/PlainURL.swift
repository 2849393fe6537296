/// Recognizes URLs that are already in the form of ``ParsedURL``, as nearly all are, in one pass over their bytes.
///
/// Every memory hit by URL runs this, so it must take only nanoseconds. If in doubt, it gives up.
enum PlainURL {
    /// The scheme of a URL whose host is a plain name, and whose path and query are plain, too.
    ///
    /// Nil for any other URL, which may still be in normal form. Calls nothing that may release an object, so that
    /// callers needn't retain the text.
    static func scheme(of bytes: UnsafeRawBufferPointer) -> ParsedURL.Scheme? {
        guard let (scheme, start) = beginning(of: bytes) else { return nil }
        var path = start
        if scheme.isWeb {
            path = endOfName(bytes, from: start)
            guard path > start, path < bytes.count, bytes[path] == UInt8(ascii: "/"),
                bytes[path &- 1].endsNoNumber
            else { return nil }
        }
        return hasOnlyPlain(bytes, from: path) ? scheme : nil
    }

    /// The scheme of a URL in normal form, which may have a port, an IPv4 address or escapes.
    ///
    /// Nil for any other URL, and for a URL with a user name, a fragment, an IPv6 address or a name that begins with a
    /// dot.
    static func normalScheme(of text: String) -> ParsedURL.Scheme? {
        FastHash.withBytes(of: text) { bytes in
            guard let (scheme, start) = beginning(of: bytes) else { return nil }
            var path = start
            if scheme.isWeb {
                guard let end = endOfOrigin(bytes, from: start, scheme), end < bytes.count,
                    bytes[end] == UInt8(ascii: "/")
                else { return nil }
                path = end
            }
            return hasOnlyPlain(bytes, from: path) || isNormal(bytes, from: path, scheme) ? scheme : nil
        }
    }

    /// The origin of a URL whose beginning is in normal form; nil for any other URL.
    static func origin(of text: String) -> Substring? {
        let length: Int? = FastHash.withBytes(of: text) { bytes in
            guard let (scheme, start) = beginning(of: bytes), scheme.isWeb,
                let end = endOfOrigin(bytes, from: start, scheme)
            else { return nil }
            return end == bytes.count || "/?#".utf8.contains(bytes[end]) ? end : nil
        }
        return length.map { text[..<text.utf8.index(text.startIndex, offsetBy: $0)] }
    }

    /// The scheme, and the offset at which the host or path begins.
    @inline(__always)
    private static func beginning(of bytes: UnsafeRawBufferPointer) -> (scheme: ParsedURL.Scheme, end: Int)? {
        guard bytes.count > 8 else { return nil }
        let word = bytes.word(at: 0)
        // "https://", "http://", "file:///" and "data:", with the first byte lowest.
        if word == 0x2F2F_3A73_7074_7468 { return (.https, 8) }
        if word << 8 == 0x2F2F_3A70_7474_6800 { return (.http, 7) }
        if word == 0x2F2F_2F3A_656C_6966 { return (.file, 7) }
        if word << 24 == 0x3A61_7461_6400_0000 { return (.data, 5) }
        return nil
    }

    // MARK: Blocks

    private typealias Block = SIMD2<UInt64>

    /// A block of equal bytes.
    ///
    /// Bytes below 0x80 are compared by adding to them, which never overflows into the next byte. The highest bit is
    /// the result: after adding 0x80 - n, it is set in bytes that are at least n, and after adding 0x7F, in bytes that
    /// aren't 0.
    @inline(__always)
    private static func all(_ byte: UInt64) -> Block { Block(repeating: byte &* 0x0101_0101_0101_0101) }

    // MARK: Host and port

    /// The end of the host, or of the port after it; nil unless both are in normal form.
    private static func endOfOrigin(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ scheme: ParsedURL.Scheme
    ) -> Int? {
        let end = endOfName(bytes, from: start)
        guard end > start, isHost(bytes, from: start, to: end) else { return nil }
        guard end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return end }
        return endOfPort(bytes, from: end + 1, scheme)
    }

    /// The end of the run of lower-case letters, digits, dots and hyphens that begins at `start`.
    @inline(__always)
    private static func endOfName(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while offset &+ 16 <= bytes.count {
            let others = othersThanName(bytes.loadUnaligned(fromByteOffset: offset, as: Block.self))
            if others[0] != 0 { return offset &+ others[0].trailingZeroBitCount / 8 }
            if others[1] != 0 { return offset &+ 8 &+ others[1].trailingZeroBitCount / 8 }
            offset &+= 16
        }
        while offset < bytes.count, bytes[offset].isOfPlainName { offset &+= 1 }
        return offset
    }

    /// Sets the highest bit of each byte that isn't a lower-case letter, digit, dot or hyphen.
    @inline(__always)
    private static func othersThanName(_ block: Block) -> Block {
        let low = block & all(0x7F)
        let letters = (low &+ all(0x1F)) & ~(low &+ all(0x05))  // "a"..."z"
        let digits = (low &+ all(0x53)) & ~(low &+ all(0x46))  // "-"..."9"
        let notSlash = (low ^ all(0x2F)) &+ all(0x7F)
        return (~(letters | digits & notSlash) | block) & all(0x80)
    }

    /// Whether the bytes are a name or an IPv4 address in normal form. If the last label is a number, they must be an
    /// address.
    private static func isHost(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Bool {
        if bytes[end &- 1].endsNoNumber { return true }
        var label = end
        while label > start, bytes[label &- 1] != UInt8(ascii: ".") { label &-= 1 }
        if label == end { return false }
        return !bytes[label].isDigit || isIPv4(bytes, from: start, to: end)
    }

    private static func isIPv4(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Bool {
        var (count, place) = (0, start)
        while place < end {
            let number = bytes[place..<end].prefix(while: \.isDigit)
            guard (1...3).contains(number.count), number.count == 1 || number.first != UInt8(ascii: "0"),
                number.decimal <= 255, number.endIndex == end || bytes[number.endIndex] == UInt8(ascii: ".")
            else { return false }
            count += 1
            place = number.endIndex + 1
        }
        return count == 4
    }

    private static func endOfPort(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ scheme: ParsedURL.Scheme
    ) -> Int? {
        let digits = bytes[start...].prefix(6).prefix(while: \.isDigit)
        guard (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"), digits.decimal <= 65_535,
            digits.decimal != scheme.defaultPort
        else { return nil }
        return digits.endIndex
    }

    // MARK: Path and query

    /// Whether all bytes from `path` on are characters that most URLs consist of: letters, digits, and
    /// "&'()*+,-./:;=?@_", with no "." after a "/".
    @inline(__always)
    private static func hasOnlyPlain(_ bytes: UnsafeRawBufferPointer, from path: Int) -> Bool {
        let last = bytes.count &- 16
        guard last > 0 else { return false }
        var others = Block()
        var offset = path
        while offset < last {
            others |= othersThanPlain(bytes, at: offset)
            offset &+= 16
        }
        others |= othersThanPlain(bytes, at: last)
        return (others[0] | others[1]) & 0x8080_8080_8080_8080 == 0
    }

    /// Sets the highest bit of each byte of a block that isn't plain. The other bits have no meaning.
    @inline(__always)
    private static func othersThanPlain(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Block {
        let block = bytes.loadUnaligned(fromByteOffset: offset, as: Block.self)
        let before = bytes.loadUnaligned(fromByteOffset: offset &- 1, as: Block.self)
        let low = block & all(0x7F)
        let marks = (low &+ all(0x5A)) & ~(low &+ all(0x05))  // "&"..."z"
        let notAngle = ((low | all(0x02)) ^ all(0x3E)) &+ all(0x7F)  // "<" and ">"
        let brackets = (low &+ all(0x25)) & ~(low &+ all(0x1F))  // "["..."`"
        let notLine = (low ^ all(0x5F)) &+ all(0x7F)  // "_"
        let notDot = ((block ^ all(0x2E) | before ^ all(0x2F)) & all(0x7F)) &+ all(0x7F)  // "." after "/"
        return ~(marks & notAngle & notDot) | brackets & notLine | block
    }

    /// Whether all bytes from `path` on are allowed characters or escapes, and no segment may be a dot segment.
    private static func isNormal(
        _ bytes: UnsafeRawBufferPointer, from path: Int, _ scheme: ParsedURL.Scheme
    ) -> Bool {
        var index = path
        while index < bytes.count {
            let byte = bytes[index]
            let isEscape = byte == UInt8(ascii: "%") && bytes[(index + 1)...].beginWithHexadecimal
            guard isEscape || byte.isAllowedInURL else { return false }
            // The path of a file must not contain a null character.
            if isEscape, scheme == .file, bytes[index + 1] == UInt8(ascii: "0") { return false }
            if scheme.isWeb, index > path, bytes[index - 1] == UInt8(ascii: "/") {
                let isDot = isEscape ? bytes[index + 1] == UInt8(ascii: "2") : byte == UInt8(ascii: ".")
                if isDot { return false }
            }
            index += isEscape ? 3 : 1
        }
        return true
    }
}

extension UInt8 {
    /// Whether this is a letter that can't end a number, not even a hexadecimal one, which may be "0x".
    @inline(__always)
    fileprivate var endsNoNumber: Bool { self > UInt8(ascii: "f") && self != UInt8(ascii: "x") }

    @inline(__always)
    fileprivate var isOfPlainName: Bool {
        (0x61...0x7A).contains(self) || (0x2D...0x39).contains(self) && self != UInt8(ascii: "/")
    }
}
