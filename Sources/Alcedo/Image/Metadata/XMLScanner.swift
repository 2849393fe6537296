/// Splits XML into tags and texts (XML 1.0), as far as XMP requires: UTF-8, and no document type declaration.
///
/// It makes one pass and copies nothing: each piece is a range of the bytes. It stops at the first malformed piece or
/// document type declaration, so only the five predefined entities exist.
struct XMLScanner {
    enum Piece {
        /// A start tag, or the tag of an empty element; ``attributes`` holds its attributes.
        case start(name: Range<Int>, isEmpty: Bool)
        case end(name: Range<Int>)
        /// - Parameter isLiteral: whether it contains no references (CDATA).
        case text(Range<Int>, isLiteral: Bool)
    }

    struct Attribute {
        let name: Range<Int>
        let value: Range<Int>
    }

    private(set) var attributes: [Attribute] = []
    private var offset = 0
    /// More attributes in one tag end the scan.
    private static let mostAttributes = 500

    /// The next piece; nil at the end, and at the first malformed piece.
    mutating func next(in bytes: Span<UInt8>) -> Piece? {
        while offset < bytes.count {
            if bytes[offset] != UInt8(ascii: "<") {
                let start = offset
                skip(to: "<", in: bytes)
                return .text(start..<offset, isLiteral: false)
            }
            if bytes.has("<!--", at: offset) {
                guard pass("-->", in: bytes) else { return nil }
            } else if bytes.has("<?", at: offset) {
                guard pass("?>", in: bytes) else { return nil }
            } else if bytes.has("<![CDATA[", at: offset) {
                let start = offset + 9
                guard pass("]]>", in: bytes), offset - 3 >= start else { return nil }
                return .text(start..<offset - 3, isLiteral: true)
            } else {
                return tag(in: bytes)
            }
        }
        return nil
    }

    private mutating func tag(in bytes: Span<UInt8>) -> Piece? {
        offset += 1
        if bytes.byte(at: offset) == UInt8(ascii: "/") {
            offset += 1
            guard let name = name(in: bytes) else { return nil }
            skipBlanks(in: bytes)
            return take(">", in: bytes) ? .end(name: name) : nil
        }
        // A declaration has no name after its bracket.
        guard let name = name(in: bytes) else { return nil }
        attributes.removeAll(keepingCapacity: true)
        while attributes.count <= Self.mostAttributes {
            skipBlanks(in: bytes)
            if take(">", in: bytes) { return .start(name: name, isEmpty: false) }
            if take("/>", in: bytes) { return .start(name: name, isEmpty: true) }
            guard let attribute = attribute(in: bytes) else { return nil }
            attributes.append(attribute)
        }
        return nil
    }

    private mutating func attribute(in bytes: Span<UInt8>) -> Attribute? {
        guard let name = name(in: bytes) else { return nil }
        skipBlanks(in: bytes)
        guard take("=", in: bytes) else { return nil }
        skipBlanks(in: bytes)
        let isDouble = bytes.byte(at: offset) == UInt8(ascii: "\"")
        guard isDouble || bytes.byte(at: offset) == UInt8(ascii: "'") else { return nil }
        let start = offset + 1
        offset = start
        skip(to: isDouble ? "\"" : "'", in: bytes)
        guard offset < bytes.count else { return nil }
        offset += 1
        return Attribute(name: name, value: start..<offset - 1)
    }

    private mutating func name(in bytes: Span<UInt8>) -> Range<Int>? {
        let start = offset
        while offset < bytes.count, Self.isOfName(bytes[offset]) { offset += 1 }
        return offset > start ? start..<offset : nil
    }

    /// Letters, digits, the marks that names may contain, and everything beyond ASCII.
    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isDigit || (0x61...0x7A).contains(byte.lowercased) || byte >= 0x80 || ":_-.".utf8.contains(byte)
    }

    private mutating func skipBlanks(in bytes: Span<UInt8>) {
        while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
    }

    private mutating func skip(to mark: Unicode.Scalar, in bytes: Span<UInt8>) {
        while offset < bytes.count, bytes[offset] != UInt8(ascii: mark) { offset += 1 }
    }

    private mutating func take(_ mark: StaticString, in bytes: Span<UInt8>) -> Bool {
        guard bytes.has(mark, at: offset) else { return false }
        offset += mark.utf8CodeUnitCount
        return true
    }

    /// Moves past the next occurrence of `mark`; false if there is none.
    private mutating func pass(_ mark: StaticString, in bytes: Span<UInt8>) -> Bool {
        while offset < bytes.count {
            if take(mark, in: bytes) { return true }
            offset += 1
        }
        return false
    }
}

extension XMLScanner {
    /// The characters of a text or of an attribute's value, with references replaced.
    ///
    /// - Returns: nil if it is longer than ``Swift/String/mostMetadataBytes``, isn't UTF-8, or refers to an entity that
    ///   isn't predefined or to a character that doesn't exist.
    static func characters(_ range: Range<Int>, isLiteral: Bool = false, in bytes: Span<UInt8>) -> String? {
        guard range.count <= String.mostMetadataBytes else { return nil }
        return bytes.extracting(range).withUnsafeBufferPointer { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            return isLiteral || !bytes.contains(UInt8(ascii: "&")) ? text : resolved(text)
        }
    }

    private static func resolved(_ text: String) -> String? {
        var result = ""
        var rest = text[...]
        while let start = rest.utf8.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<start]
            // No reference is longer.
            guard let end = rest[start...].utf8.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = character(rest[start..<end].dropFirst())
            else { return nil }
            result.unicodeScalars.append(character)
            rest = rest[end...].dropFirst()
        }
        return result + rest
    }

    private static func character(_ reference: Substring) -> Unicode.Scalar? {
        switch reference {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard reference.hasPrefix("#") else { return nil }
        let isHexadecimal = reference.hasPrefix("#x")
        let digits = reference.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.first != "+" else { return nil }
        return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
    }
}
