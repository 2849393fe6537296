/// Identifies the contents of one disk entry: the bytes of a source, or an image made from them.
package struct StoredKey: Hashable, Sendable {
    /// The absolute URL, without its fragment and without secrets.
    package let source: String
    /// The source and everything else that selects the bytes, as stored in the file.
    package let text: String
    package let name: EntryName
    /// Further text that selects the bytes and may be secret. Never written to disk; ``text`` contains its digest.
    let secret: String
    private let digest: String
    private let variant: String

    /// - Parameter variant: Further text that selects the bytes; empty for the plain source.
    package init(_ source: String, variant: String = "") {
        self.init(source, variant: variant, secret: "", digest: "")
    }

    /// - Parameters:
    ///   - secret: Further text that selects the bytes and may be secret; not empty.
    ///   - key: The key of the directory that contains the entry.
    init(_ source: String, secret: String, under key: DirectoryKey) {
        self.init(source, variant: "", secret: secret, digest: key.digest(of: secret))
    }

    private init(_ source: String, variant: String, secret: String, digest: String) {
        self.source = source
        self.variant = variant
        self.secret = secret
        self.digest = digest
        var text = source
        if !digest.isEmpty { text += "\nvariant " + digest }
        if !variant.isEmpty { text += "\n" + variant }
        self.text = text
        name = EntryName(source: source, key: text)
    }

    /// The key of an image made from these bytes.
    func made(as variant: String) -> StoredKey {
        StoredKey(source, variant: variant, secret: secret, digest: digest)
    }

    /// The key of the same contents in another directory.
    func under(_ key: DirectoryKey) -> StoredKey {
        StoredKey(source, variant: variant, secret: secret, digest: key.digest(of: secret))
    }

    package static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
