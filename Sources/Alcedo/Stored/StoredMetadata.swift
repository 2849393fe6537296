public import Foundation

/// The metadata of a stored entry.
///
/// A store keeps ``bytes``, from which the metadata can be restored, and finds entries by the ``StoredKey/digest`` and
/// ``StoredKey/source`` of their key, and by their ``tags``. Most properties are decoded on each access.
public struct StoredMetadata: Sendable {
    /// The entry's key.
    public let key: StoredKey
    /// The properties, as ``EntryMetadata/encoded``.
    let encoded: Data
    /// When the entry expires, in seconds since 1970.
    let expiresAt: Int64?
    /// What the entry's body must be; nil if the store checks it itself.
    var check: BodyCheck?

    init(_ key: StoredKey, _ encoded: Data, expires: Int64?, check: BodyCheck? = nil) {
        self.key = key
        self.encoded = encoded
        self.expiresAt = expires
        self.check = check
    }

    /// - Parameters:
    ///   - expires: In seconds since 1970.
    ///   - body: The entry's bytes, against which look-ups are checked; nil for no check.
    package init(_ properties: EntryMetadata, for key: StoredKey, expires: Int64? = nil, body: Data? = nil) {
        self.init(key, properties.encoded, expires: expires, check: body.map { BodyCheck($0) })
    }

    /// The properties; nil if this version of Alcedo can't read them.
    package var decoded: EntryMetadata? { EntryMetadata(encoded) }

    /// When the entry expires even if it is used; nil if it doesn't.
    ///
    /// A loader doesn't use an expired entry, so a store needs this only to delete such entries.
    public var expires: Date? { expiresAt.map { Date(timeIntervalSince1970: TimeInterval($0)) } }

    /// The tags by which a store must find the entry.
    ///
    /// These are the tags of the request that stored it. An image that was made from an original has one more tag,
    /// which consists of a null character, "made of " and the text of the original's key.
    public var tags: Set<String> { decoded?.allTags ?? [] }

    /// Distinguishes the entry's bytes from other bytes under the same key; nil if they didn't come from a server.
    public var version: UInt64? { response?.version }

    /// Whether the entry is an image made from an original.
    public var isProcessed: Bool { decoded?.original != nil }

    /// The format of the image; nil if it isn't known.
    public var format: ImageFormat? { decoded?.format }

    /// The size of the image in pixels; nil if it isn't known.
    public var size: PixelSize? { decoded?.size }

    /// When the bytes were received.
    public var storedAt: Date { Date(timeIntervalSince1970: TimeInterval(decoded?.storedAt ?? 0)) }

    /// Whether users of other machines may get the entry. That isn't so if something secret selects it, or if the
    /// server's response says `private` or `no-store`, which images made from it inherit.
    package var isShareable: Bool {
        if key.isPrivate { return false }
        guard let decoded else { return false }
        guard let response = decoded.response,
            let control = response.headers.cacheControl(status: response.status)
        else { return true }
        // The part that wasn't read may contain one of them.
        return control.isComplete && !control.isPrivate && !control.forbidsStoring
    }

    func with(_ key: StoredKey) -> StoredMetadata { StoredMetadata(key, encoded, expires: expiresAt, check: check) }

    package var response: StoredResponse? { decoded?.response }
}

extension StoredMetadata: Hashable {
    /// Whether both are the metadata of the same key and bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.key == right.key && left.expiresAt == right.expiresAt && left.encoded == right.encoded
    }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// The length and the checksum of a body.
struct BodyCheck: Sendable, Hashable {
    let count: Int
    let checksum: UInt64

    private static let seed: UInt64 = 12

    init(count: Int, checksum: UInt64) {
        self.count = count
        self.checksum = checksum
    }

    /// Reads all bytes: 1 GB in about 0.1 seconds.
    init(_ body: Data) {
        self.init(count: body.count, checksum: body.withUnsafeBytes { Checksum.of($0, seed: Self.seed) })
    }
}
