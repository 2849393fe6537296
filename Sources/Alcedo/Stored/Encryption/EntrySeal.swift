#if canImport(Darwin) || os(Linux) && Encryption
import Foundation

/// Encrypts the entries of a store, and replaces their names by digests.
///
/// A name is an HMAC-SHA-256 under the naming key, so that the store finds it again. Metadata and body are a message
/// each:
///
///     version      of this layout (1 byte)
///     key          which key encrypted the message (8 bytes)
///     nonce        random (12 bytes)
///     ciphertext   AES-256-GCM, with its tag (16 bytes)
///
/// Both are bound to the name of the entry and to the version of its body, so neither can be used for another entry, or
/// with another version.
struct EntrySeal: Sendable {
    /// Why an entry can't be encrypted or read.
    enum Failure: Error, Sendable, CustomStringConvertible {
        case notEncrypted, unknownKey, changed, cipherFailed

        var description: String {
            switch self {
            case .notEncrypted: "the entry isn't encrypted"
            case .unknownKey: "the entry was encrypted with another key"
            case .changed: "the entry isn't as it was encrypted"
            case .cipherFailed: "the entry can't be encrypted"
            }
        }
    }

    private enum Part: UInt8 { case metadata = 1, body }

    private struct Cipher: Sendable {
        let id: Data
        let cipher: AESGCM

        init(_ key: EncryptionKey) {
            id = Data(key.derived(for: "alcedo key id").prefix(EntrySeal.idLength))
            cipher = AESGCM(key: key.derived(for: "alcedo encryption"))
        }
    }

    private let naming: [UInt8]
    private let first: Cipher
    private let others: [Data: AESGCM]

    private static let version: UInt8 = 1
    private static let idLength = 8
    private static let nonceLength = 12
    private static let headLength = 1 + idLength + nonceLength
    /// The response of every entry, of which only the version counts.
    private static let freshness = Freshness([:], status: 200, Freshness.Exchange(request: 0, response: 0))

    /// - Parameters:
    ///   - keys: The first one encrypts. Nil is returned if there is none.
    ///   - naming: The key of the names.
    init?(_ keys: [EncryptionKey], naming: EncryptionKey) {
        guard let first = keys.first else { return nil }
        self.first = Cipher(first)
        others = Dictionary(keys.dropFirst().map(Cipher.init).map { ($0.id, $0.cipher) }) { one, _ in one }
        self.naming = naming.derived(for: "alcedo names")
    }

    // MARK: Names

    func name(of key: StoredKey) -> StoredKey {
        StoredKey(name(ofSource: key.source), variant: digest("key", key.text).hexadecimal)
    }

    func selection(_ selection: StoredSelection) -> StoredSelection {
        switch selection {
        case .all: .all
        case .expired: .expired
        case .keys(let keys): .keys(keys.map(name))
        case .source(let source): .source(name(ofSource: source))
        case .tag(let tag): .tag(name(ofTag: tag))
        }
    }

    private func name(ofSource source: String) -> String { digest("source", source).hexadecimal }

    private func name(ofTag tag: String) -> String { digest("tag", tag).hexadecimal }

    private func digest(_ kind: String, _ text: String) -> [UInt8] {
        SHA256.code(of: Array(kind.utf8) + [0] + Array(text.utf8), key: naming)
    }

    // MARK: Encrypting

    /// An entry as the wrapped store keeps it.
    ///
    /// - Parameter body: Nil to keep the body of an existing entry, which requires that the metadata has a version.
    func sealed(
        _ body: Data?, _ metadata: StoredMetadata, using generator: inout some RandomNumberGenerator
    ) throws(Failure) -> (body: Data?, metadata: StoredMetadata) {
        let name = name(of: metadata.key)
        var properties = EntryMetadata(source: name.source)
        properties.tags = Set(metadata.tags.map(name(ofTag:)))
        // The version may be derived from an entity tag, which can be guessed.
        let version = metadata.version.map { version in
            Data(digest("version", "\(version) \(name.text)")).integer(at: 0, as: UInt64.self)
        }
        let bound = version ?? generator.next()
        properties.response = StoredResponse(headers: [:], freshness: Self.freshness, version: bound)
        properties.sealed = try seal(metadata.bytes, .metadata, name, bound, &generator)
        var sealedBody: Data?
        if let body { sealedBody = try seal(body, .body, name, bound, &generator) }
        return (sealedBody, StoredMetadata(properties, for: name, expires: metadata.expiresAt))
    }

    private func seal(
        _ plaintext: Data, _ part: Part, _ name: StoredKey, _ version: UInt64,
        _ generator: inout some RandomNumberGenerator
    ) throws(Failure) -> Data {
        let nonce = generator.nextBytes(Self.nonceLength)
        let head = Data([Self.version]) + first.id + nonce
        guard
            let message = first.cipher.seal(
                plaintext, after: head, nonce: nonce, authenticating: context(of: part, name, version))
        else { throw .cipherFailed }
        return message
    }

    /// The facts to which a message is bound.
    private func context(of part: Part, _ name: StoredKey, _ version: UInt64) -> Data {
        var context = Data([part.rawValue])
        context.append(integer: version)
        context.append(contentsOf: name.text.utf8)
        return context
    }

    // MARK: Reading

    /// The metadata that was encrypted.
    func opened(_ sealed: StoredMetadata) throws(Failure) -> StoredMetadata { try head(sealed).metadata }

    /// The entry that was encrypted.
    ///
    /// - Parameter readsBody: Whether the entry has a body.
    func opened(_ sealed: StoredEntry, readsBody: Bool) throws(Failure) -> StoredEntry {
        let (metadata, version) = try head(sealed.metadata)
        let body = readsBody ? try open(sealed.body, .body, sealed.metadata.key, version) : Data()
        return StoredEntry(metadata, body: body)
    }

    /// The metadata that was encrypted, and the version to which the body is bound.
    private func head(_ sealed: StoredMetadata) throws(Failure) -> (metadata: StoredMetadata, version: UInt64) {
        guard let properties = sealed.decoded, let message = properties.sealed, let response = properties.response
        else { throw .notEncrypted }
        let bytes = try open(message, .metadata, sealed.key, response.version)
        guard var metadata = StoredMetadata(bytes: bytes) else { throw .changed }
        // Opening the body checks it.
        metadata.check = nil
        return (metadata, response.version)
    }

    private func open(
        _ message: Data, _ part: Part, _ name: StoredKey, _ version: UInt64
    ) throws(Failure) -> Data {
        guard message.count >= Self.headLength, message.first == Self.version else { throw .changed }
        let id = Data(message.part(1..<1 + Self.idLength))
        guard let cipher = id == first.id ? first.cipher : others[id] else { throw .unknownKey }
        let nonce = Array(message.part(1 + Self.idLength..<Self.headLength))
        guard
            let plaintext = cipher.open(
                message.dropFirst(Self.headLength), nonce: nonce,
                authenticating: context(of: part, name, version))
        else { throw .changed }
        return plaintext
    }
}
#endif
