#if canImport(Darwin)
import CryptoKit
package import Foundation

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), implemented by CryptoKit.
package struct AESGCM: Sendable {
    private let key: SymmetricKey

    /// The number of bytes by which a ciphertext is longer than its plaintext.
    package static let tagLength = 16

    /// - Parameter key: 32 random bytes.
    package init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// `head`, followed by the ciphertext and its tag; nil if CryptoKit fails.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes that have never been used with the key.
    ///   - context: Bytes that must be the same for opening.
    package func seal(
        _ plaintext: Data, after head: Data = Data(), nonce: [UInt8], authenticating context: Data
    ) -> Data? {
        do {
            let box = try AES.GCM.seal(
                plaintext, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: context)
            return head + box.ciphertext + box.tag
        } catch {
            return nil
        }
    }

    /// The plaintext; nil if the ciphertext, the nonce or the context isn't the one that was sealed with the key.
    package func open(_ sealed: Data, nonce: [UInt8], authenticating context: Data) -> Data? {
        guard sealed.count >= Self.tagLength else { return nil }
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: nonce), ciphertext: sealed.dropLast(Self.tagLength),
                tag: sealed.suffix(Self.tagLength))
            return try AES.GCM.open(box, using: key, authenticating: context)
        } catch {
            return nil
        }
    }
}
#endif
