/// Names what one disk entry holds: the bytes of a source, or a picture made of them.
package struct DiskKey: Hashable, Sendable {
    /// The absolute URL without its fragment and without secrets.
    package let source: String
    /// The source and whatever else selects the bytes. It stands in the file.
    package let text: String
    package let name: EntryName
    /// What selects the bytes and may be secret. It never reaches the disk; ``text`` has its digest.
    let secret: String
    private let digest: String
    private let variant: String

    /// - Parameter variant: what else selects the bytes; empty for the plain source.
    package init(_ source: String, variant: String = "") {
        self.init(source, variant: variant, secret: "", digest: "")
    }

    /// - Parameters:
    ///   - secret: what else selects the bytes and may be secret; not empty.
    ///   - key: of the directory that the entry is in.
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

    /// The key of a picture that is made of these bytes.
    func made(as variant: String) -> DiskKey {
        DiskKey(source, variant: variant, secret: secret, digest: digest)
    }

    /// The key of the same in another directory.
    func under(_ key: DirectoryKey) -> DiskKey {
        DiskKey(source, variant: variant, secret: secret, digest: key.digest(of: secret))
    }

    package static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
