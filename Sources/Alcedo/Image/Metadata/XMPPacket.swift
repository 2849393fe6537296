/// The properties of an XMP packet (ISO 16684-1) that Alcedo knows, and the parts of the file that it lists.
///
/// A malformed packet is read up to the first error.
struct XMPPacket {
    /// A part of the file, as listed by the directory that phones write (Ultra HDR, Motion Photo). Parts are listed in
    /// file order.
    struct Part: Hashable {
        /// The kind of the part, such as "MotionPhoto".
        var semantic = ""
        /// The length in bytes.
        var length = 0
        /// The number of bytes between this part and the next one.
        var padding = 0
    }

    /// Texts by property name, such as "dc:title", with the usual prefix of the namespace, whichever the packet uses.
    ///
    /// For alternatives, the default one; for several values, all of them, separated by "; ".
    private(set) var values: [String: String] = [:]
    private(set) var parts: [Part] = []

    subscript(name: String) -> String? { values[name] }

    private var namespaces = XMLNamespaces()
    /// The elements around the current place, by their usual names; "" for unknown ones.
    private var path: [String] = []
    /// The text of the innermost element so far; nil if a part of it can't be read.
    private var text: String? = ""
    /// Whether the current list item is the default one of several languages.
    private var isDefault = false

    private static let mostDepth = 50
    /// The most elements and attributes.
    private static let mostNames = 100_000
    private static let mostParts = 50

    init() {}

    init(_ bytes: Span<UInt8>) {
        var scanner = XMLScanner()
        // The names as written, to compare with those of end tags.
        var names: [Range<Int>] = []
        var count = 0
        while let piece = scanner.next(in: bytes) {
            switch piece {
            case .text(let range, let isLiteral):
                guard let count = text?.utf8.count else { continue }
                let part = XMLScanner.characters(range, isLiteral: isLiteral, in: bytes)
                if let part, part.utf8.count <= String.mostMetadataBytes - count {
                    text?.append(part)
                } else {
                    text = nil
                }
            case .start(let name, let isEmpty):
                count += 1 + scanner.attributes.count
                guard names.count < Self.mostDepth, count <= Self.mostNames else { return }
                begin(name, scanner.attributes, bytes)
                if isEmpty { end() } else { names.append(name) }
            case .end(let name):
                guard let start = names.popLast(), start.count == name.count,
                    zip(start, name).allSatisfy({ bytes[$0] == bytes[$1] })
                else { return }
                end()
            }
        }
    }

    /// Adds the values and parts of another packet of the same file. Existing values are kept.
    mutating func merge(_ other: XMPPacket) {
        values.merge(other.values) { first, _ in first }
        parts += other.parts
    }

    private mutating func begin(_ name: Range<Int>, _ attributes: [XMLScanner.Attribute], _ bytes: Span<UInt8>) {
        namespaces.open(attributes, bytes)
        path.append(namespaces.name(name, isAttribute: false, bytes) ?? "")
        (text, isDefault) = ("", false)
        if path.last == "rdf:li", path.contains("Container:Directory"), parts.count < Self.mostParts {
            parts.append(Part())
        }
        for attribute in attributes {
            guard let name = namespaces.name(attribute.name, isAttribute: true, bytes) else { continue }
            if name == "xml:lang" {
                isDefault = XMLScanner.characters(attribute.value, in: bytes) == "x-default"
            } else if isKnown(name), let value = XMLScanner.characters(attribute.value, in: bytes) {
                if path.suffix(2) == ["rdf:RDF", "rdf:Description"] { set(name, value) }
                setPart(name, value)
            }
        }
    }

    private mutating func end() {
        defer {
            path.removeLast()
            namespaces.close()
            // The text that follows belongs to an element that contains others, and isn't read.
            text = nil
        }
        guard let text, let name = path.last else { return }
        setPart(name, text)
        // A property of a description, or an item in a list of its values.
        let isItem = name == "rdf:li"
        let property = isItem ? path.dropLast(2) : path[...]
        guard property.suffix(3).dropLast() == ["rdf:RDF", "rdf:Description"], let name = property.last else { return }
        guard isItem else { return set(name, text) }
        let isAlternative = path.dropLast().last == "rdf:Alt"
        set(name, text, ifThere: !isAlternative ? .append : isDefault ? .replace : .keep)
    }

    private func isKnown(_ name: String) -> Bool { Self.known.contains(name) || name.hasPrefix("Item:") }

    private enum Resolution {
        case keep, replace, append
    }

    private mutating func set(_ name: String, _ value: String, ifThere resolution: Resolution = .keep) {
        guard Self.known.contains(name), let value = String(trimming: value) else { return }
        if resolution == .replace || values[name] == nil {
            values[name] = value
        } else if resolution == .append, value.utf8.count < String.mostMetadataBytes - (values[name]?.utf8.count ?? 0) {
            values[name]?.append("; " + value)
        }
    }

    private mutating func setPart(_ name: String, _ value: String) {
        guard name.hasPrefix("Item:"), let last = parts.indices.last else { return }
        switch name {
        case "Item:Semantic": parts[last].semantic = value
        case "Item:Length": parts[last].length = max(0, Int(value) ?? 0)
        case "Item:Padding": parts[last].padding = max(0, Int(value) ?? 0)
        default: break
        }
    }

    private static let known: Set<String> = [
        "dc:title", "dc:description", "dc:creator", "dc:rights", "xmp:CreatorTool", "photoshop:DateCreated",
        "tiff:Make", "tiff:Model", "exif:DateTimeOriginal", "exif:ExposureTime", "exif:FNumber",
        "exif:ISOSpeedRatings", "exif:ExposureBiasValue", "exif:FocalLength", "exif:FocalLengthIn35mmFilm",
        "exif:GPSLatitude", "exif:GPSLongitude", "exif:GPSAltitude", "exif:GPSAltitudeRef",
        "exifEX:PhotographicSensitivity", "exifEX:LensMake", "exifEX:LensModel", "aux:Lens", "xmpNote:HasExtendedXMP",
        "GCamera:MicroVideoOffset", "GDepth:Format", "GDepth:Mime", "hdrgm:Version", "apdi:AuxiliaryImageType",
    ]
}
