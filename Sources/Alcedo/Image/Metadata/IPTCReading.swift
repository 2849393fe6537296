extension ImageMetadata {
    /// Fills in what a block of IPTC-IIM says (IIM 4.2): records of a marker, two numbers, a length and a value.
    mutating func fill(iptc bytes: Span<UInt8>) {
        var offset = 0
        var authors: [String] = []
        while bytes.byte(at: offset) == 0x1C, let number = bytes.word(at: offset + 1),
            // Longer values say so by the highest bit. None of those read here are.
            let length = bytes.word(at: offset + 3), length < 0x8000, length <= bytes.count - offset - 5
        {
            let value = offset + 5..<offset + 5 + length
            // A file has few authors; a block can repeat one for ever.
            if number == 0x0250, authors.count < 20, let author = String(metadata: bytes.extracting(value)) {
                authors.append(author)
            }
            if let path = Self.iptcPath(number) { fill(path, String(metadata: bytes.extracting(value))) }
            offset = value.upperBound
        }
        if !authors.isEmpty { fill(\.artist, authors.joined(separator: "; ")) }
    }

    /// By the numbers of a record and of a value in it.
    private static func iptcPath(_ number: Int) -> WritableKeyPath<Self, String?>? {
        switch number {
        case 0x0205: \.title
        case 0x0274: \.copyright
        case 0x0278: \.caption
        default: nil
        }
    }
}
