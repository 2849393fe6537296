#if os(Linux) && Encryption
import CCrypto
package import Foundation

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), implemented by libcrypto.
package struct AESGCM: Sendable {
    private let key: [UInt8]
    private let longestPart: Int

    /// The number of bytes by which a ciphertext is longer than its plaintext.
    package static let tagLength = 16

    /// - Parameters:
    ///   - key: 32 random bytes.
    ///   - longestPart: The number of bytes to process at a time: libcrypto counts them with 31 bits.
    package init(key: [UInt8], longestPart: Int = 1 << 30) { (self.key, self.longestPart) = (key, longestPart) }

    /// `head`, followed by the ciphertext and its tag; nil if libcrypto fails.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes that have never been used with the key.
    ///   - context: Bytes that must be the same for opening.
    package func seal(
        _ plaintext: Data, after head: Data = Data(), nonce: [UInt8], authenticating context: Data
    ) -> Data? {
        made(of: plaintext, count: head.count + plaintext.count + Self.tagLength) { input, output in
            head.copyBytes(to: output, count: head.count)
            let (text, tag) = (output + head.count, output + head.count + plaintext.count)
            return process(input, into: text, nonce, context, encrypts: true) { cipher in
                var rest: Int32 = 0
                return EVP_CipherFinal_ex(cipher, tag, &rest) == 1
                    && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag) == 1
            }
        }
    }

    /// The plaintext; nil if the ciphertext, the nonce or the context isn't the one that was sealed with the key.
    package func open(_ sealed: Data, nonce: [UInt8], authenticating context: Data) -> Data? {
        guard sealed.count >= Self.tagLength else { return nil }
        var tag = Array(sealed.suffix(Self.tagLength))
        let ciphertext = sealed.dropLast(Self.tagLength)
        return made(of: ciphertext, count: ciphertext.count) { input, output in
            process(input, into: output, nonce, context, encrypts: false) { cipher in
                // Where the rest of a last block would be written, if this mode had any.
                var (rest, end) = (Int32(0), [UInt8](repeating: 0, count: Self.tagLength))
                return EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1
                    && EVP_CipherFinal_ex(cipher, &end, &rest) == 1
            }
        }
    }

    /// `count` bytes that `make` writes, without setting them to zero first; nil if it fails.
    private func made(
        of input: Data, count: Int, _ make: (UnsafeRawBufferPointer, UnsafeMutablePointer<UInt8>) -> Bool
    ) -> Data? {
        // At least one, because a pointer is needed even if there is nothing to write.
        guard let bytes = malloc(max(1, count)) else { return nil }
        let output = bytes.bindMemory(to: UInt8.self, capacity: count)
        guard input.withUnsafeBytes({ make($0, output) }) else {
            free(bytes)
            return nil
        }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    private func process(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>, _ nonce: [UInt8], _ context: Data,
        encrypts: Bool, end: (OpaquePointer) -> Bool
    ) -> Bool {
        guard nonce.count == 12, let cipher = EVP_CIPHER_CTX_new() else { return false }
        // Overwrites what was derived from the key.
        defer { EVP_CIPHER_CTX_free(cipher) }
        return EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce, encrypts ? 1 : 0) == 1
            && context.withUnsafeBytes { update(cipher, $0, into: nil) } && update(cipher, input, into: output)
            && end(cipher)
    }

    private func update(
        _ cipher: OpaquePointer, _ input: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>?
    ) -> Bool {
        guard let start = input.bindMemory(to: UInt8.self).baseAddress else { return true }
        var offset = 0
        while offset < input.count {
            let count = min(longestPart, input.count - offset)
            var written: Int32 = 0
            guard EVP_CipherUpdate(cipher, output.map { $0 + offset }, &written, start + offset, Int32(count)) == 1
            else { return false }
            offset += count
        }
        return true
    }
}
#endif
