public import Foundation

// The bytes that a store keeps:
//
//     header     magic (8 bytes), expiry in seconds since 1970 or 0 (8), length of the body or -1 (8), its checksum
//                (8), length of the key's source (4), length of the key (4), all little endian
//     key        UTF-8, beginning with the source
//     metadata   see EntryMetadata
//     checksum   of all bytes before it (8)

extension StoredMetadata {
    private static let magic = Data("ALCEDOM\u{1}".utf8)
    private static let headerLength = 40
    private static let seed: UInt64 = 13

    /// The metadata and its key as bytes, from which ``init(bytes:)`` restores both.
    ///
    /// At most 130 KiB: the loader stores nothing that has more.
    public var bytes: Data {
        let text = Array(key.text.utf8)
        var bytes = Self.magic
        bytes.reserveCapacity(Self.headerLength + text.count + encoded.count + 8)
        // 0 means never.
        bytes.append(integer: expiresAt.map { max(1, $0) } ?? 0)
        bytes.append(integer: Int64(check?.count ?? -1))
        bytes.append(integer: check?.checksum ?? 0)
        bytes.append(integer: UInt32(truncatingIfNeeded: key.source.utf8.count))
        bytes.append(integer: UInt32(truncatingIfNeeded: text.count))
        bytes += text
        bytes += encoded
        bytes.append(integer: Self.checksum(of: bytes))
        return bytes
    }

    /// Restores metadata from ``bytes``; nil if they are damaged, or were made by another version of Alcedo.
    ///
    /// Damage is detected by a checksum, which doesn't protect against deliberate changes.
    public init?(bytes: Data) {
        let end = bytes.count - 8
        guard end >= Self.headerLength, bytes.prefix(Self.magic.count) == Self.magic,
            Self.checksum(of: bytes.prefix(end)) == bytes.integer(at: end, as: UInt64.self)
        else { return nil }
        let expires = bytes.integer(at: 8, as: Int64.self)
        let count = bytes.integer(at: 16, as: Int64.self)
        let sourceLength = Int(bytes.integer(at: 32, as: UInt32.self))
        let textLength = Int(bytes.integer(at: 36, as: UInt32.self))
        guard sourceLength <= textLength, Self.headerLength + textLength <= end else { return nil }
        let rest = bytes.prefix(end).dropFirst(Self.headerLength)
        let encoded = rest.dropFirst(textLength)
        guard let source = String(bytes: rest.prefix(sourceLength), encoding: .utf8),
            let text = String(bytes: rest.prefix(textLength), encoding: .utf8),
            let key = StoredKey(source: source, text: text), EntryMetadata(encoded) != nil
        else { return nil }
        let check = BodyCheck(count: Int(count), checksum: bytes.integer(at: 24, as: UInt64.self))
        self.init(key, encoded, expires: expires == 0 ? nil : expires, check: count < 0 ? nil : check)
    }

    private static func checksum(of bytes: Data) -> UInt64 { bytes.withUnsafeBytes { FastHash.hash($0, seed: seed) } }
}
