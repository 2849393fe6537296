package import Foundation

/// What is known about an entry besides its bytes, as encoded in the file.
///
///     one byte     the version of this layout
///     fields       kind (1), length (4, little endian), that many bytes; fields of unknown kinds are skipped
///
/// A header field is encoded as the length of its name (4, little endian), its name and its value, because no character
/// is safe as a separator.
package struct EntryMetadata: Hashable, Sendable {
    /// The origin of the bytes: the URL without secrets.
    package var source: String
    /// The response's header fields that its freshness depends on.
    package var headers = HTTPHeaders()
    /// The freshness computed from the response. Entries of earlier versions don't have it.
    package var freshness: Freshness?
    package var format: ImageFormat?
    package var size: PixelSize?
    package var tags: Set<String> = []
    /// When the response arrived, in seconds since 1970.
    package var storedAt: Int64 = 0
    /// For an image derived from the source's bytes: the key of those bytes.
    package var original: String?
    /// For a re-encoded image: the format it was decoded from, and its size before scaling. Entries of earlier versions
    /// don't have them.
    package var originalFormat: ImageFormat?
    package var originalSize: PixelSize?
    /// Whether the image is known to be opaque although its file has an alpha channel.
    package var isOpaque = false
    /// The image's colour profile, if its file can't contain one.
    package var profile: Data?

    package init(source: String) { self.source = source }

    /// What the index finds the entry by besides its key: its tags, and the key of its original.
    var hashes: [UInt64] {
        TagSets.hashes(of: original.map { tags.union([Self.tag(ofOriginal: $0)]) } ?? tags)
    }

    /// The extra tag of entries derived from the original with this key.
    static func tag(ofOriginal key: String) -> String { "\0made of " + key }

    private enum Kind: UInt8 {
        case source = 1
        case header, format, size, tag, storedAt, original, originalFormat, originalSize, freshness, opaque, profile
    }

    private static let version: UInt8 = 1

    /// The bytes stored in the file.
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
        add(.storedAt, Data(integers: storedAt))
        if let original { add(.original, Data(original.utf8)) }
        if let originalFormat { add(.originalFormat, Data(originalFormat.rawValue.utf8)) }
        if let originalSize { add(.originalSize, Self.bytes(originalSize)) }
        if let freshness { add(.freshness, Data(integers: freshness.endSecond)) }
        if isOpaque { add(.opaque, Data()) }
        if let profile { add(.profile, profile) }
        return bytes
    }

    /// Decodes the bytes of a file; nil when they weren't made by ``encoded``.
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
            let recorded = Self.size(value)
            if kind == .size { size = recorded } else { originalSize = recorded }
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

    private static func bytes(_ size: PixelSize) -> Data { Data(integers: Int64(size.width), Int64(size.height)) }

    private static func size(_ bytes: Data) -> PixelSize {
        PixelSize(width: Int(bytes.integer(at: 0, as: Int64.self)), height: Int(bytes.integer(at: 8, as: Int64.self)))
    }
}

extension RangeReplaceableCollection<UInt8> {
    /// Appends the bytes of an integer, the least significant one first.
    mutating func append(integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
    }
}

extension Data {
    /// The bytes of integers, the least significant one of each first.
    fileprivate init(integers: Int64...) {
        self.init()
        for integer in integers { append(integer: integer) }
    }

    /// The integer at `offset` from the first byte.
    func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
        withUnsafeBytes { $0.integer(at: offset) }
    }
}

extension UnsafeRawBufferPointer {
    /// The integer at `offset`, least significant byte first.
    func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type = Number.self) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
