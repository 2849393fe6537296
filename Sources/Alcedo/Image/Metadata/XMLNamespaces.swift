/// The namespaces in scope at a place in an XMP packet (Namespaces in XML 1.0).
struct XMLNamespaces {
    private struct Declaration {
        let prefix: String
        /// The usual prefix of the namespace; nil for an unknown one.
        let usual: String?
        let depth: Int
    }

    private var declarations: [Declaration] = []
    private var depth = 0
    /// Further declarations are ignored: each one costs a comparison for every name.
    private static let mostDeclarations = 100

    /// Enters an element, with the namespaces that it declares.
    mutating func open(_ attributes: [XMLScanner.Attribute], _ bytes: Span<UInt8>) {
        depth += 1
        for attribute in attributes where declarations.count < Self.mostDeclarations {
            let start = attribute.name.lowerBound
            guard bytes.has("xmlns", at: start), let address = XMLScanner.characters(attribute.value, in: bytes) else {
                continue
            }
            let prefix: String
            if attribute.name.count == 5 {
                prefix = ""
            } else if attribute.name.count > 6, bytes[start + 5] == UInt8(ascii: ":") {
                prefix = Self.text(start + 6..<attribute.name.upperBound, bytes)
            } else {
                continue
            }
            declarations.append(Declaration(prefix: prefix, usual: Self.usualPrefixes[address], depth: depth))
        }
    }

    /// Leaves an element.
    mutating func close() {
        while declarations.last?.depth == depth { declarations.removeLast() }
        depth -= 1
    }

    /// Returns a name with the usual prefix of its namespace; nil if the namespace is unknown, or for an attribute
    /// without one.
    func name(_ range: Range<Int>, isAttribute: Bool, _ bytes: Span<UInt8>) -> String? {
        // Known names are shorter.
        guard range.count <= 100 else { return nil }
        let colon = range.first { bytes[$0] == UInt8(ascii: ":") }
        let prefix = Self.text(range.lowerBound..<(colon ?? range.lowerBound), bytes)
        if prefix == "xml" { return Self.text(range, bytes) }
        if isAttribute, colon == nil { return nil }
        guard let usual = declarations.last(where: { $0.prefix == prefix })?.usual else { return nil }
        return usual + ":" + Self.text((colon.map { $0 + 1 } ?? range.lowerBound)..<range.upperBound, bytes)
    }

    private static func text(_ range: Range<Int>, _ bytes: Span<UInt8>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private static let usualPrefixes = [
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "http://purl.org/dc/elements/1.1/": "dc",
        "http://ns.adobe.com/xap/1.0/": "xmp", "http://ns.adobe.com/xmp/note/": "xmpNote",
        "http://ns.adobe.com/photoshop/1.0/": "photoshop", "http://ns.adobe.com/tiff/1.0/": "tiff",
        "http://ns.adobe.com/exif/1.0/": "exif", "http://ns.adobe.com/exif/1.0/aux/": "aux",
        "http://cipa.jp/exif/1.0/": "exifEX", "http://ns.adobe.com/hdr-gain-map/1.0/": "hdrgm",
        "http://ns.google.com/photos/1.0/camera/": "GCamera", "http://ns.google.com/photos/1.0/depthmap/": "GDepth",
        "http://ns.google.com/photos/1.0/container/": "Container",
        "http://ns.google.com/photos/1.0/container/item/": "Item",
        "http://ns.apple.com/pixeldatainfo/1.0/": "apdi",
    ]
}
