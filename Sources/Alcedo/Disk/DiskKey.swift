/// Names what one disk entry holds: the bytes of a source, or a picture made of them.
package struct DiskKey: Hashable, Sendable {
    /// The absolute URL without its fragment and without secrets.
    package let source: String
    /// The source and whatever else selects the bytes. It stands in the file.
    package let text: String
    package let name: EntryName

    /// - Parameter variant: what else selects the bytes; empty for the plain source.
    package init(_ source: String, variant: String = "") {
        self.source = source
        text = variant.isEmpty ? source : source + "\n" + variant
        name = EntryName(source: source, key: text)
    }

    package static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
