package import Foundation

/// The file of one disk entry: the body as it came, then what is needed to trust it.
///
/// The body comes first, so any image viewer opens the file as it is. The tail:
///
///     key          UTF-8
///     trailer      32 bytes, little endian: body length (8), key length (4), zero (4), checksum (8), magic (8)
///
/// The checksum covers body, key and lengths. It detects damage, not tampering.
package enum EntryFile {
    /// Why a file is no entry.
    package enum Defect: Error, Sendable, Equatable {
        case tooShort, wrongMagic, wrongLengths, wrongChecksum
        /// Whole, but of a key whose name's digest is the same.
        case otherKey
    }

    private static let trailerLength = 32
    /// "ALCEDO" and the version of this layout.
    private static let magic: UInt64 = 0x0001_4F44_4543_4C41
    private static let seed: UInt64 = 1

    /// Bytes of the file that holds `body` under `key`.
    package static func length(of body: Data, key: ResourceKey) -> Int {
        body.count + key.text.utf8.count + trailerLength
    }

    /// What follows the body in the file.
    package static func tail(of body: Data, key: ResourceKey) -> Data {
        let keyBytes = Data(key.text.utf8)
        var tail = keyBytes
        tail.append(integer: UInt64(body.count))
        tail.append(integer: UInt32(keyBytes.count))
        tail.append(integer: UInt32(0))
        tail.append(integer: checksum(body: body, key: keyBytes))
        tail.append(integer: magic)
        return tail
    }

    /// The body of a file, which shares its memory; throws unless everything is as it was written.
    package static func body(of file: Data, key: ResourceKey) throws(Defect) -> Data {
        guard file.count >= trailerLength else { throw .tooShort }
        let trailer = file.count - trailerLength
        guard file.integer(at: trailer + 24, as: UInt64.self) == magic else { throw .wrongMagic }
        let bodyLength = file.integer(at: trailer, as: UInt64.self)
        let keyLength = file.integer(at: trailer + 8, as: UInt32.self)
        guard bodyLength <= UInt64(trailer), UInt64(keyLength) == UInt64(trailer) - bodyLength,
            file.integer(at: trailer + 12, as: UInt32.self) == 0
        else { throw .wrongLengths }
        let body = file.prefix(Int(bodyLength))
        let keyBytes = file.dropFirst(Int(bodyLength)).prefix(Int(keyLength))
        guard file.integer(at: trailer + 16, as: UInt64.self) == checksum(body: body, key: keyBytes) else {
            throw .wrongChecksum
        }
        guard keyBytes == Data(key.text.utf8) else { throw .otherKey }
        return body
    }

    private static func checksum(body: Data, key: Data) -> UInt64 {
        // Each fold covers its own length, so the two lengths are covered too.
        let ofBody = body.withUnsafeBytes { Fold.fold($0, seed: seed) }
        return key.withUnsafeBytes { Fold.fold($0, seed: ofBody) }
    }
}

extension Data {
    fileprivate mutating func append(integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
    }
}
