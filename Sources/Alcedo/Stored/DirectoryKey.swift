package import Foundation

/// The random key of a cache directory.
///
/// Secrets that select an entry's contents reach the disk only as an HMAC-SHA-256 under this key, so a digest can't be
/// looked up in a table and means nothing in another directory.
///
/// Its file consists of: magic (8 bytes), key (32), checksum of both (8, little endian).
package struct DirectoryKey: Sendable, Equatable {
    private let bytes: [UInt8]

    private static let length = 32
    private static let magic = Data("ALCEDOK\u{1}".utf8)
    private static let checksumSeed: UInt64 = 11
    /// The length of a key's file in bytes.
    static let fileLength = magic.count + length + 8

    /// Generates a new key.
    init(using generator: inout some RandomNumberGenerator) { bytes = generator.nextBytes(Self.length) }

    /// A key that the program provides.
    init(secret: Data) { bytes = Array(secret) }

    /// The key in a file; nil when the file is damaged.
    init?(file: Data) {
        guard file.count == Self.fileLength, file.prefix(Self.magic.count) == Self.magic else { return nil }
        let checked = Self.magic.count + Self.length
        guard Self.checksum(of: file.prefix(checked)) == file.integer(at: checked, as: UInt64.self) else { return nil }
        bytes = Array(file.prefix(checked).dropFirst(Self.magic.count))
    }

    /// The contents of the key's file.
    package var file: Data {
        var file = Self.magic + bytes
        file.append(integer: Self.checksum(of: file))
        return file
    }

    private static func checksum(of bytes: Data) -> UInt64 {
        bytes.withUnsafeBytes { FastHash.hash($0, seed: checksumSeed) }
    }

    /// The number of characters of a digest.
    static let digestLength = 64

    /// The digest that replaces a secret on disk, in hexadecimal digits.
    func digest(of secret: String) -> String { SHA256.code(of: Array(secret.utf8), key: bytes).hexadecimal }
}
