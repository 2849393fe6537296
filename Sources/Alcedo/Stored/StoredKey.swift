/// The key of one stored entry: the bytes of a source, or an image made from them.
///
/// A loader makes the keys; a store only compares and keeps them. Credentials and other secrets that select an entry
/// are part of its key only as a digest under a random key (HMAC-SHA-256), so a key may be written anywhere.
public struct StoredKey: Hashable, Sendable {
    /// The source of the bytes: the absolute URL in its normal form, without its fragment, user name and password, or
    /// the key that replaces it.
    public let source: String
    /// The source and everything else that selects the entry. Different entries have different texts.
    public let text: String
    /// Whether this is the key of an image made from an original.
    public var isProcessed: Bool {
        let rest = text.utf8.dropFirst(source.utf8.count)
        let mark = [Self.mark, Self.policyMark].first { rest.starts(with: $0.utf8) }
        return rest.count > (mark.map { $0.utf8.count + DirectoryKey.digestLength } ?? 0)
    }
    package let name: EntryName
    /// Further text that selects the bytes and may be secret. Never stored; ``text`` contains its digest.
    let secret: String

    /// A short name of the entry: 32 lower-case hexadecimal digits.
    ///
    /// It is computed with a fast hash, so two keys can have the same digest. A store may let one of them replace the
    /// other, because the loader compares the keys.
    public var digest: String { name.text }

    /// - Parameter variant: Further text that selects the bytes; empty for the plain source.
    package init(_ source: String, variant: String = "") {
        self.init(source, Self.text(source, variant), secret: "")
    }

    /// - Parameters:
    ///   - secret: Further text that selects the bytes and may be secret; not empty.
    ///   - isPrivate: Whether the text may be secret, or give each user other bytes.
    ///   - key: The key of the directory that contains the entry.
    init(_ source: String, secret: String, isPrivate: Bool = true, under key: DirectoryKey) {
        let mark = isPrivate ? Self.mark : Self.policyMark
        self.init(source, source + mark + key.digest(of: secret), secret: secret)
    }

    /// A key that was stored; nil if its text doesn't belong to its source.
    init?(source: String, text: String) {
        guard text.utf8.starts(with: source.utf8) else { return nil }
        let rest = text.utf8.dropFirst(source.utf8.count)
        guard rest.isEmpty || rest.first == 0x0A else { return nil }
        self.init(source, text, secret: "")
    }

    private init(_ source: String, _ text: String, secret: String) {
        self.source = source
        self.text = text
        self.secret = secret
        name = EntryName(source: source, key: text)
    }

    /// The text before the digest of a secret.
    private static let mark = "\nvariant "
    /// The text before the digest of policies that hold for all users.
    private static let policyMark = "\npolicy "

    private static func text(_ original: String, _ variant: String) -> String {
        variant.isEmpty ? original : original + "\n" + variant
    }

    /// The key of an image made from these bytes, which are an original.
    package func made(as variant: String) -> StoredKey { StoredKey(source, Self.text(text, variant), secret: secret) }

    /// Whether something selects the entry that may be secret, or may give each user other bytes: credentials, header
    /// fields, hooks, or a body.
    var isPrivate: Bool { text.utf8.dropFirst(source.utf8.count).starts(with: Self.mark.utf8) }

    /// The key as a store of the program gets it, which may write it anywhere.
    var withoutSecret: StoredKey { StoredKey(source, text, secret: "") }

    /// The key of the same contents in another directory. The key's secret isn't empty.
    func under(_ key: DirectoryKey) -> StoredKey {
        let digest = key.digest(of: secret)
        let start = source.utf8.count + Self.mark.utf8.count + digest.utf8.count
        let variant = String(decoding: text.utf8.dropFirst(start), as: UTF8.self)
        return StoredKey(source, source + Self.mark + digest + variant, secret: secret)
    }

    /// Whether both keys have the same text and source.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.text == right.text }

    /// Hashes the key's digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
