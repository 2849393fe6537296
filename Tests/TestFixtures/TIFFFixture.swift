import Foundation

/// Writes TIFF directories, of which EXIF consists.
struct TIFFFixture {
    enum Value {
        case text(String)
        case words([Int])
        case longs([Int])
        /// The numbers are unsigned, unless one of them is negative.
        case fractions([(Int, Int)])
        case bytes([UInt8])
        case directory([Int: Value])
    }

    var fields: [Int: Value]
    var isLittleEndian = true

    var bytes: [UInt8] {
        var bytes = Array((isLittleEndian ? "II" : "MM").utf8) + word(42) + long(8)
        append(fields, to: &bytes)
        return bytes
    }

    private func append(_ fields: [Int: Value], to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += word(fields.count) + [UInt8](repeating: 0, count: fields.count * 12) + long(0)
        for (index, field) in fields.sorted(by: { $0.key < $1.key }).enumerated() {
            let (type, count, content) = stored(field.value, at: bytes.count)
            let place =
                content.count <= 4 ? content + [UInt8](repeating: 0, count: 4 - content.count) : long(bytes.count)
            if content.count > 4 { bytes += content }
            let entry = start + 2 + index * 12
            bytes.replaceSubrange(entry..<entry + 12, with: word(field.key) + word(type) + long(count) + place)
            if case .directory(let fields) = field.value { append(fields, to: &bytes) }
        }
    }

    private func stored(_ value: Value, at end: Int) -> (type: Int, count: Int, content: [UInt8]) {
        switch value {
        case .text(let text): return (2, text.utf8.count + 1, Array(text.utf8) + [0])
        case .words(let words): return (3, words.count, words.flatMap(word))
        case .longs(let longs): return (4, longs.count, longs.flatMap(long))
        case .fractions(let fractions):
            let isSigned = fractions.contains { $0.0 < 0 || $0.1 < 0 }
            return (isSigned ? 10 : 5, fractions.count, fractions.flatMap { long($0.0) + long($0.1) })
        case .bytes(let bytes): return (7, bytes.count, bytes)
        case .directory: return (4, 1, long(end))
        }
    }

    private func word(_ value: Int) -> [UInt8] { ordered([value & 255, value >> 8 & 255]) }

    private func long(_ value: Int) -> [UInt8] { ordered([0, 8, 16, 24].map { value >> $0 & 255 }) }

    private func ordered(_ bytes: [Int]) -> [UInt8] {
        (isLittleEndian ? bytes : bytes.reversed()).map { UInt8($0) }
    }

    /// EXIF with every field that Alcedo reads.
    static func photo(isLittleEndian: Bool = true) -> TIFFFixture {
        let camera: [Int: Value] = [
            0x829A: .fractions([(1, 250)]), 0x829D: .fractions([(18, 10)]), 0x8827: .words([100]),
            0x9003: .text("2021:07:08 09:10:11"), 0x9011: .text("+02:00"), 0x9204: .fractions([(-2, 3)]),
            0x9209: .words([17]), 0x920A: .fractions([(35, 1)]), 0x9291: .text("0450"), 0xA405: .words([52]),
            0xA433: .text("Lenses"), 0xA434: .text("35 mm"),
        ]
        let place: [Int: Value] = [
            1: .text("S"), 2: .fractions([(33, 1), (30, 1), (36, 2)]), 3: .text("W"),
            4: .fractions([(151, 1), (15, 1), (0, 1)]), 5: .words([1]), 6: .fractions([(25, 2)]),
            7: .fractions([(7, 1), (10, 1), (23, 2)]), 17: .fractions([(247, 2)]), 29: .text("2021:07:08"),
        ]
        return TIFFFixture(
            fields: [
                0x010E: .text("Ein Vogel – Größe"), 0x010F: .text("Works "), 0x0110: .text("AW-1"),
                0x0112: .words([6]), 0x011A: .fractions([(300, 1)]), 0x011B: .fractions([(150, 1)]),
                0x0128: .words([2]), 0x0131: .text("1.0"), 0x013B: .text("Ada"), 0x8298: .text("CC0"),
                0x8769: .directory(camera), 0x8825: .directory(place),
            ], isLittleEndian: isLittleEndian)
    }
}

/// Writes XMP packets.
enum XMPFixture {
    /// A packet with one description that has these attributes and elements.
    static func packet(attributes: String = "", _ elements: String = "") -> [UInt8] {
        let names = [
            ("dc", "http://purl.org/dc/elements/1.1/"), ("xmp", "http://ns.adobe.com/xap/1.0/"),
            ("tiff", "http://ns.adobe.com/tiff/1.0/"), ("exif", "http://ns.adobe.com/exif/1.0/"),
            ("xmpNote", "http://ns.adobe.com/xmp/note/"), ("photoshop", "http://ns.adobe.com/photoshop/1.0/"),
            ("hdrgm", "http://ns.adobe.com/hdr-gain-map/1.0/"), ("G", "http://ns.google.com/photos/1.0/camera/"),
            ("C", "http://ns.google.com/photos/1.0/container/"),
            ("Item", "http://ns.google.com/photos/1.0/container/item/"),
            ("GDepth", "http://ns.google.com/photos/1.0/depthmap/"),
            ("apdi", "http://ns.apple.com/pixeldatainfo/1.0/"),
        ].map { "xmlns:\($0)='\($1)' " }.joined()
        return Array(
            """
            <?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>
            <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
            <rdf:Description rdf:about='' \(names)\(attributes)>\(elements)</rdf:Description>
            </rdf:RDF></x:xmpmeta><?xpacket end='w'?>
            """.utf8)
    }
}
