#if canImport(Darwin) || os(Linux) && Encryption
public import Foundation

/// A key of an ``EncryptedStore``: 32 random bytes.
///
/// Keep it where the program keeps its other secrets, such as a keychain. Descriptions and dumps of a key don't contain
/// its bytes, but its memory isn't overwritten when it is released.
public struct EncryptionKey: Sendable {
    private let bytes: [UInt8]

    private static let length = 32

    /// Creates a new random key.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    init(using generator: inout some RandomNumberGenerator) { bytes = generator.nextBytes(Self.length) }

    /// Creates a key from the bytes of an earlier one.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` unless there are 32 bytes.
    public init(_ data: Data) throws(ImageLoaderError) {
        guard data.count == Self.length else {
            throw .unsupportedConfiguration("an EncryptionKey of \(data.count) bytes: it must have \(Self.length)")
        }
        bytes = Array(data)
    }

    /// The 32 bytes, for keeping the key.
    public var data: Data { Data(bytes) }

    /// A key of 32 bytes for one purpose, which says nothing about keys for others (HKDF-Expand, RFC 5869).
    func derived(for purpose: String) -> [UInt8] { SHA256.code(of: Array(purpose.utf8) + [1], key: bytes) }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the type.
    public var description: String { "EncryptionKey" }

    /// The name of the type.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
