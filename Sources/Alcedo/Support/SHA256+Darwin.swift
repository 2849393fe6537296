#if canImport(Darwin)
import CryptoKit

/// SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), by the system's own library.
package enum SHA256 {
    /// The 32 bytes of a message's digest.
    package static func digest(of message: [UInt8]) -> [UInt8] { Array(CryptoKit.SHA256.hash(data: message)) }

    /// The 32 bytes that authenticate a message under a key.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}
#endif
