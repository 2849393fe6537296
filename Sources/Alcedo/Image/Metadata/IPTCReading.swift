extension ImageMetadata {
    /// Fills in the values of an IPTC-IIM block (IIM 4.2). Its records consist of a marker, two numbers, a length and a
    /// value.
    mutating func fill(iptc bytes: Span<UInt8>) {
        var offset = 0
        var authors: [String] = []
        while bytes.byte(at: offset) == 0x1C, let number = bytes.word(at: offset + 1),
            // The highest bit marks longer values; no value read here is that long.
            let length = bytes.word(at: offset + 3), length < 0x8000, length <= bytes.count - offset - 5
        {
            let value = offset + 5..<offset + 5 + length
            // Real files have few authors, but a hostile block could repeat one endlessly.
            if number == 0x0250, authors.count < 20, let author = String(metadata: bytes.extracting(value)) {
                authors.append(author)
            }
            if let path = Self.iptcPath(number) { fill(path, String(metadata: bytes.extracting(value))) }
            offset = value.upperBound
        }
        if !authors.isEmpty { fill(\.artist, authors.joined(separator: "; ")) }
    }

    /// The property for the numbers of a record and of a value in it.
    private static func iptcPath(_ number: Int) -> WritableKeyPath<Self, String?>? {
        switch number {
        case 0x0205: \.title
        case 0x0274: \.copyright
        case 0x0278: \.caption
        default: nil
        }
    }
}
