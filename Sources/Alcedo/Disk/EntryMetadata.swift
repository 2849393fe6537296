package import Foundation

/// What is known of an entry besides its bytes, as it stands in the file.
///
///     one byte     the version of this layout
///     fields       kind (1), length (4, little endian), that many bytes; those of unknown kinds are skipped
///
/// A header field is the length of its name (4, little endian), its name and its value: no character that either may
/// hold tells them apart.
package struct EntryMetadata: Hashable, Sendable {
    /// Where the bytes came from: the URL, without secrets.
    package var source: String
    /// Header fields of the response that its freshness depends on.
    package var headers = HTTPHeaders()
    /// What was reckoned from the response. Entries of earlier versions do not tell.
    package var freshness: Freshness?
    package var format: ImageFormat?
    package var size: PixelSize?
    package var tags: Set<String> = []
    /// When the response came, in seconds since 1970.
    package var storedAt: Int64 = 0
    /// For a picture made of the source's bytes: the key of those.
    package var original: String?
    /// For a picture that was encoded anew: the format that it had been decoded from, and its size before it was
    /// scaled. Entries of earlier versions do not tell.
    package var originalFormat: ImageFormat?
    package var originalSize: PixelSize?
    /// Whether the picture is known to be opaque although its file has room for alpha.
    package var isOpaque = false
    /// The picture's colour profile, where the file can't hold it.
    package var profile: Data?

    package init(source: String) { self.source = source }

    /// What the index finds it by besides its key: its tags, and the key of what it was made of.
    var hashes: [UInt64] {
        TagSets.hashes(of: original.map { tags.union([Self.tag(ofOriginal: $0)]) } ?? tags)
    }

    /// What is made of an entry has this tag besides its own.
    static func tag(ofOriginal key: String) -> String { "\0made of " + key }

    private enum Kind: UInt8 {
        case source = 1
        case header, format, size, tag, storedAt, original, originalFormat, originalSize, freshness, opaque, profile
    }

    private static let version: UInt8 = 1

    /// The bytes that stand in the file.
    package var encoded: Data {
        var bytes = Data([Self.version])
        func add(_ kind: Kind, _ value: Data) {
            bytes.append(kind.rawValue)
            bytes.append(integer: UInt32(truncatingIfNeeded: value.count))
            bytes.append(value)
        }
        add(.source, Data(source.utf8))
        for field in headers {
            var header = Data()
            header.append(integer: UInt32(truncatingIfNeeded: field.name.utf8.count))
            header.append(contentsOf: field.name.utf8)
            header.append(contentsOf: field.value.utf8)
            add(.header, header)
        }
        if let format { add(.format, Data(format.rawValue.utf8)) }
        if let size { add(.size, Self.bytes(size)) }
        for tag in tags.sorted() { add(.tag, Data(tag.utf8)) }
        add(.storedAt, Self.bytes(storedAt))
        if let original { add(.original, Data(original.utf8)) }
        if let originalFormat { add(.originalFormat, Data(originalFormat.rawValue.utf8)) }
        if let originalSize { add(.originalSize, Self.bytes(originalSize)) }
        if let freshness { add(.freshness, Self.bytes(freshness.endSecond)) }
        if isOpaque { add(.opaque, Data()) }
        if let profile { add(.profile, profile) }
        return bytes
    }

    /// What the bytes of a file say; nil when they are not what ``encoded`` makes.
    package init?(_ bytes: Data) {
        guard bytes.first == Self.version else { return nil }
        self.init(source: "")
        var headers: [(name: String, value: String)] = []
        var rest = bytes.dropFirst()
        while let kind = rest.popFirst() {
            guard rest.count >= 4 else { return nil }
            let length = Int(rest.integer(at: 0, as: UInt32.self))
            rest = rest.dropFirst(4)
            guard length <= rest.count else { return nil }
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            guard let known = Kind(rawValue: kind) else { continue }
            guard take(known, value, &headers) else { return nil }
        }
        self.headers = HTTPHeaders(headers)
    }

    private mutating func take(
        _ kind: Kind, _ value: Data, _ headers: inout [(name: String, value: String)]
    ) -> Bool {
        switch kind {
        case .source: source = Self.text(value)
        case .header:
            guard value.count >= 4 else { return false }
            let length = Int(value.integer(at: 0, as: UInt32.self))
            let rest = value.dropFirst(4)
            guard length <= rest.count else { return false }
            headers.append((Self.text(rest.prefix(length)), Self.text(rest.dropFirst(length))))
        case .format: format = ImageFormat(rawValue: Self.text(value))
        case .size, .originalSize:
            guard value.count == 16 else { return false }
            let told = Self.size(value)
            if kind == .size { size = told } else { originalSize = told }
        case .tag: tags.insert(Self.text(value))
        case .storedAt, .freshness:
            guard value.count == 8 else { return false }
            let second = value.integer(at: 0, as: Int64.self)
            if kind == .storedAt { storedAt = second } else { freshness = Freshness(endSecond: second) }
        case .original: original = Self.text(value)
        case .originalFormat: originalFormat = ImageFormat(rawValue: Self.text(value))
        case .opaque: isOpaque = true
        case .profile: profile = Data(value)
        }
        return true
    }

    private static func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func bytes(_ second: Int64) -> Data {
        var bytes = Data()
        bytes.append(integer: second)
        return bytes
    }

    private static func bytes(_ size: PixelSize) -> Data {
        var sides = Data()
        sides.append(integer: Int64(size.width))
        sides.append(integer: Int64(size.height))
        return sides
    }

    private static func size(_ bytes: Data) -> PixelSize {
        PixelSize(width: Int(bytes.integer(at: 0, as: Int64.self)), height: Int(bytes.integer(at: 8, as: Int64.self)))
    }
}

extension Data {
    mutating func append(integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
    }

    /// The integer at `offset` from the first byte.
    func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
    }
}
