/// The entity tags of a client's If-None-Match field (RFC 9110 section 13.1.2). Malformed members match nothing.
package struct EntityTags: Sendable {
    private var tags: [Substring] = []
    /// Whether the field is `*`, which means that the client has some version.
    private var includesAll = false

    /// The maximum number of tags read. No real client sends more.
    private static let mostTags = 100

    /// Parses a field. Returns nil if it contains no tag.
    package init?(_ field: String) {
        let blanks = ", \t"
        var rest = field[...]
        while tags.count < Self.mostTags {
            rest = rest.drop { blanks.contains($0) }
            if rest.hasPrefix("*"), rest.dropFirst().allSatisfy({ blanks.contains($0) }) {
                includesAll = true
                return
            }
            let opaque = rest.hasPrefix("W/") ? rest.dropFirst(2) : rest
            guard opaque.first == "\"", let end = opaque.dropFirst().firstIndex(of: "\"") else { break }
            tags.append(opaque[...end])
            rest = opaque[end...].dropFirst()
        }
        if tags.isEmpty { return nil }
    }

    /// Whether the client has the representation with this tag, by the weak comparison.
    package func contains(_ tag: String) -> Bool {
        includesAll || tags.contains(tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...])
    }
}
