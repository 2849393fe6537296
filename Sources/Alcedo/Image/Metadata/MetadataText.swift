extension String {
    /// The longest text, in bytes, that is taken from metadata.
    static let mostMetadataBytes = 1 << 16

    /// Creates a text from the bytes up to the first NUL, without surrounding whitespace. Nil if it is empty or too
    /// long.
    ///
    /// Metadata rarely says how a text is encoded: a text that isn't UTF-8 is taken as Latin-1.
    init?(metadata bytes: Span<UInt8>) {
        var count = 0
        while count < bytes.count, count <= Self.mostMetadataBytes, bytes[count] != 0 { count += 1 }
        guard count <= Self.mostMetadataBytes else { return nil }
        let text = bytes.extracting(0..<count).withUnsafeBufferPointer { bytes in
            String(validating: bytes, as: UTF8.self)
                ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
        self.init(trimming: text)
    }

    /// Creates a text without surrounding whitespace; nil if it is empty.
    init?(trimming text: String) {
        let text = text.trimmed(where: \.isWhitespace)
        guard !text.isEmpty else { return nil }
        self.init(text)
    }
}
