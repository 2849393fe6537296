package import Foundation

/// The properties of an entry besides its bytes, as encoded in the file.
///
///     one byte     the version of this layout
///     fields       kind (1), length (4, little endian), that many bytes
///
/// A header field is encoded as the length of its name (4, little endian), its name and its value, because no character
/// is safe as a separator.
package struct EntryMetadata: Hashable, Sendable {
    /// The source of the bytes: the URL without secrets.
    package var source: String
    /// The response that contained the bytes, or from which the image was made; nil for bytes stored by the program.
    package var response: StoredResponse?
    package var format: ImageFormat?
    package var size: PixelSize?
    package var tags: Set<String> = []
    /// When the response arrived, in seconds since 1970.
    package var storedAt: Int64 = 0
    /// For an image derived from the source's bytes: the key of those bytes.
    package var original: String?
    /// For a re-encoded image: the format it was decoded from, and its size before scaling.
    package var originalFormat: ImageFormat?
    package var originalSize: PixelSize?
    /// For a re-encoded image: whether it is known to be opaque, whatever its file says.
    package var isOpaque = false
    /// The image's color profile, if its file can't contain one.
    package var profile: Data?
    /// For an entry of an encrypted store: the actual metadata, encrypted.
    package var sealed: Data?

    package init(source: String) { self.source = source }

    /// The properties of the image that its file doesn't contain.
    package var details: StoredImageDetails {
        var details = StoredImageDetails(isUndecoded: response != nil && size == nil, format: format)
        if original != nil || originalSize != nil {
            details.reencoded = StoredImageDetails.Reencoded(
                format: originalFormat, originalSize: originalSize, isMade: original != nil, isOpaque: isOpaque,
                profile: profile)
        }
        return details
    }

    /// The tags by which the entry must be found: its own, and that of its original's key.
    var allTags: Set<String> { original.map { tags.union([Self.tag(ofOriginal: $0)]) } ?? tags }

    /// The extra tag of entries derived from the original with this key.
    static func tag(ofOriginal key: String) -> String { "\0made of " + key }

    /// The metadata with `response` in place of the old response; nil if their versions differ.
    func confirmed(by response: StoredResponse) -> EntryMetadata? {
        guard self.response?.version == response.version else { return nil }
        var metadata = self
        metadata.response = response
        return metadata
    }

    private enum Kind: UInt8 {
        case source = 1
        case header, format, size, tag, storedAt, original, originalFormat, originalSize, opaque, profile, response
        case sealed
    }

    private static let version: UInt8 = 2

    /// Whether bytes were written in this format.
    static func hasItsFormat(_ bytes: Data) -> Bool { bytes.first == version }

    /// The bytes stored in the file.
    package var encoded: Data {
        var bytes = Data([Self.version])
        func add(_ kind: Kind, _ value: Data) {
            bytes.append(kind.rawValue)
            bytes.append(integer: UInt32(truncatingIfNeeded: value.count))
            bytes.append(value)
        }
        add(.source, Data(source.utf8))
        if let response { add(.response, Self.bytes(response)) }
        for field in response?.headers ?? [:] {
            var header = Data()
            header.append(integer: UInt32(truncatingIfNeeded: field.name.utf8.count))
            header.append(contentsOf: field.name.utf8)
            header.append(contentsOf: field.bytes)
            add(.header, header)
        }
        if let format { add(.format, Data(format.rawValue.utf8)) }
        if let size { add(.size, Self.bytes(size)) }
        for tag in tags.sorted() { add(.tag, Data(tag.utf8)) }
        add(.storedAt, Data(integers: storedAt))
        if let original { add(.original, Data(original.utf8)) }
        if let originalFormat { add(.originalFormat, Data(originalFormat.rawValue.utf8)) }
        if let originalSize { add(.originalSize, Self.bytes(originalSize)) }
        if isOpaque { add(.opaque, Data()) }
        if let profile { add(.profile, profile) }
        if let sealed { add(.sealed, sealed) }
        return bytes
    }

    /// Decodes the bytes of a file; nil when they weren't made by ``encoded``.
    package init?(_ bytes: Data) {
        guard Self.hasItsFormat(bytes) else { return nil }
        self.init(source: "")
        var parts = ResponseParts()
        var rest = bytes.dropFirst()
        while let kind = rest.popFirst() {
            guard rest.count >= 4 else { return nil }
            let length = Int(rest.integer(at: 0, as: UInt32.self))
            rest = rest.dropFirst(4)
            guard length <= rest.count else { return nil }
            let value = rest.prefix(length)
            rest = rest.dropFirst(length)
            guard let known = Kind(rawValue: kind), take(known, value, &parts) else { return nil }
        }
        response = parts.response
    }

    /// The parts of a response, in the order they are read.
    private struct ResponseParts {
        var headers: [HTTPHeaders.Field] = []
        /// The response's other properties.
        var summary: (status: Int, version: UInt64, freshness: Freshness)?

        var response: StoredResponse? {
            summary.map {
                StoredResponse(
                    status: $0.status, headers: HTTPHeaders(headers), freshness: $0.freshness, version: $0.version)
            }
        }
    }

    private mutating func take(
        _ kind: Kind, _ value: Data, _ parts: inout ResponseParts
    ) -> Bool {
        switch kind {
        case .source: source = Self.text(value)
        case .header:
            guard value.count >= 4 else { return false }
            let length = Int(value.integer(at: 0, as: UInt32.self))
            let rest = value.dropFirst(4)
            guard length <= rest.count else { return false }
            parts.headers.append(.init(name: Self.text(rest.prefix(length)), bytes: rest.dropFirst(length)))
        case .format: format = ImageFormat(rawValue: Self.text(value))
        case .size, .originalSize:
            guard value.count == 16 else { return false }
            let recorded = Self.size(value)
            if kind == .size { size = recorded } else { originalSize = recorded }
        case .tag: tags.insert(Self.text(value))
        case .storedAt:
            guard value.count == 8 else { return false }
            storedAt = value.integer(at: 0, as: Int64.self)
        case .response:
            guard value.count >= 12, let freshness = Freshness(encoded: value.dropFirst(12)) else { return false }
            let status = Int(value.integer(at: 0, as: UInt32.self))
            parts.summary = (status, value.integer(at: 4, as: UInt64.self), freshness)
        case .original: original = Self.text(value)
        case .originalFormat: originalFormat = ImageFormat(rawValue: Self.text(value))
        case .opaque: isOpaque = true
        case .profile: profile = Data(value)
        case .sealed: sealed = Data(value)
        }
        return true
    }

    private static func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func bytes(_ size: PixelSize) -> Data { Data(integers: Int64(size.width), Int64(size.height)) }

    private static func bytes(_ response: StoredResponse) -> Data {
        var bytes = Data()
        bytes.append(integer: UInt32(clamping: response.status))
        bytes.append(integer: response.version)
        return bytes + response.freshness.encoded
    }

    private static func size(_ bytes: Data) -> PixelSize {
        PixelSize(width: Int(bytes.integer(at: 0, as: Int64.self)), height: Int(bytes.integer(at: 8, as: Int64.self)))
    }
}
