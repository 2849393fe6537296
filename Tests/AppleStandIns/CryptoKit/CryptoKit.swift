// swift-format-ignore-file
// A stand-in for CryptoKit, see Tests/AppleStandIns/README.md. Nothing here runs.
public import AppleFoundation

// cryptokit/digest
public protocol Digest: Hashable, ContiguousBytes, CustomStringConvertible, Sequence, Sendable
where Element == UInt8 {
    static var byteCount: Int { get }
}

// cryptokit/hashfunction
public protocol HashFunction: Sendable {
    associatedtype Digest: CryptoKit.Digest
    init()
    func finalize() -> Digest
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
}

extension HashFunction {
    public static func hash(data: some DataProtocol) -> Digest { fatalError() }
}

// cryptokit/sha
public struct SHA256Digest: Digest {
    public static var byteCount: Int { 32 }
    public var description: String { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

public struct SHA256: HashFunction {
    public typealias Digest = SHA256Digest
    public init() { fatalError() }
    public func finalize() -> SHA256Digest { fatalError() }
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fatalError() }
}

// cryptokit/symmetrickey
public struct SymmetricKey: ContiguousBytes, Equatable, Sendable {
    public init(data: some ContiguousBytes) { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

// cryptokit/messageauthenticationcode
public protocol MessageAuthenticationCode: Hashable, ContiguousBytes, CustomStringConvertible, Sequence, Sendable
where Element == UInt8 {
    var byteCount: Int { get }
}

// cryptokit/hashedauthenticationcode
public struct HashedAuthenticationCode<H: HashFunction>: MessageAuthenticationCode {
    public var byteCount: Int { fatalError() }
    public var description: String { fatalError() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
}

// cryptokit/hmac
public struct HMAC<H: HashFunction>: Sendable {
    public typealias MAC = HashedAuthenticationCode<H>
    public init(key: SymmetricKey) { fatalError() }
    public static func authenticationCode(for data: some DataProtocol, using key: SymmetricKey) -> MAC { fatalError() }
}

// cryptokit/aes/gcm
public enum AES {
    public enum GCM {
        public struct Nonce: ContiguousBytes, Sequence, Sendable {
            public init(data: some DataProtocol) throws { fatalError() }
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
            public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
        }

        public struct SealedBox: Sendable {
            public init(nonce: Nonce, ciphertext: some DataProtocol, tag: some DataProtocol) throws { fatalError() }
            public var ciphertext: Data { fatalError() }
            public var tag: Data { fatalError() }
        }

        public static func seal(
            _ message: some DataProtocol, using key: SymmetricKey, nonce: Nonce? = nil,
            authenticating authenticatedData: some DataProtocol
        ) throws -> SealedBox { fatalError() }

        public static func open(
            _ sealedBox: SealedBox, using key: SymmetricKey, authenticating authenticatedData: some DataProtocol
        ) throws -> Data { fatalError() }
    }
}
