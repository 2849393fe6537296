#if canImport(Darwin)
import CryptoKit

/// SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), implemented by CryptoKit.
package enum SHA256 {
    /// The 32-byte digest of a message.
    package static func digest(of message: [UInt8]) -> [UInt8] { message.withUnsafeBytes { digest(of: $0) } }

    /// The digest of a message in memory, without an array.
    static func digest(of message: UnsafeRawBufferPointer) -> [UInt8] {
        var hash = CryptoKit.SHA256()
        hash.update(bufferPointer: message)
        return Array(hash.finalize())
    }

    /// The 32-byte authentication code of a message under a key.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}
#endif
