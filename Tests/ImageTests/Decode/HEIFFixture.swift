#if os(Linux) && HEIC
import Foundation

/// Writes HEIF files (ISO/IEC 23008-12) of items coded with HEVC. The coded pictures of 64 × 64 pixels were made once
/// with x265.
struct HEIFFixture {
    struct Item {
        var type = "hvc1"
        var content: [UInt8] = []
        /// Boxes.
        var properties: [[UInt8]] = []
    }

    struct Reference {
        let type: String
        let from: Int
        let to: [Int]
    }

    var brand = "heic"
    var primary = 1
    /// Numbered from 1.
    var items: [Item] = []
    var references: [Reference] = []

    init(_ items: [Item] = [picture], references: [Reference] = []) {
        self.items = items
        self.references = references
    }

    var data: Data {
        // The offsets don't change the length of what precedes the contents.
        let contents = Self.box("mdat", items.flatMap(\.content))
        return Data(head(start: head(start: 0).count + 8) + contents)
    }

    private func head(start: Int) -> [UInt8] {
        var (places, entries, properties, table) = ([UInt8](), [UInt8](), [UInt8](), [UInt8]())
        var (offset, index) = (start, 1)
        for (number, item) in items.enumerated() {
            places += Self.word(number + 1) + Self.word(0) + Self.word(1)
            places += Self.long(offset) + Self.long(item.content.count)
            offset += item.content.count
            entries += Self.fullBox("infe", version: 2, Self.word(number + 1) + [0, 0] + Array(item.type.utf8) + [0])
            table += Self.word(number + 1) + [UInt8(item.properties.count)]
            table += item.properties.indices.map { UInt8(index + $0) }
            index += item.properties.count
            properties += item.properties.joined()
        }
        let links = references.flatMap { reference in
            Self.box(
                reference.type,
                Self.word(reference.from) + Self.word(reference.to.count) + reference.to.flatMap(Self.word))
        }
        var meta = Self.fullBox("hdlr", Self.long(0) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
        meta += Self.fullBox("pitm", Self.word(primary))
        meta += Self.fullBox("iloc", [0x44, 0] + Self.word(items.count) + places)
        meta += Self.fullBox("iinf", Self.word(items.count) + entries)
        if !links.isEmpty { meta += Self.fullBox("iref", links) }
        let tables = Self.box("ipco", properties) + Self.fullBox("ipma", Self.long(items.count) + table)
        meta += Self.box("iprp", tables)
        return Self.box("ftyp", Array(brand.utf8) + Self.long(0) + Array("mif1heic".utf8)) + Self.fullBox("meta", meta)
    }

    // MARK: Pictures

    static let side = 64

    static func color(_ x: Int, _ y: Int) -> SIMD4<UInt8> {
        let fields: [SIMD4<UInt8>] = [
            [200, 40, 40, 255], [40, 200, 40, 255], [40, 40, 200, 255], [220, 220, 60, 255],
        ]
        return fields[y / 32 * 2 + x / 32]
    }

    static let size = fullBox("ispe", long(side) + long(side))
    static let sRGB = box("colr", Array("nclx".utf8) + word(1) + word(13) + word(6) + [0x80])
    static let alphaKind = fullBox("auxC", Array("urn:mpeg:hevc:2015:auxid:1\0".utf8))

    static func colors(primaries: Int, transfer: Int) -> [UInt8] {
        box("colr", Array("nclx".utf8) + word(primaries) + word(transfer) + word(6) + [0x80])
    }

    /// A grid of one row.
    static func grid(columns: Int, width: Int, height: Int) -> Item {
        Item(
            type: "grid", content: [0, 0, 0, UInt8(columns - 1)] + word(width) + word(height),
            properties: [fullBox("ispe", long(width) + long(height)), sRGB])
    }

    static func rotation(_ quarters: UInt8) -> [UInt8] { box("irot", [quarters]) }
    static func mirror(_ axis: UInt8) -> [UInt8] { box("imir", [axis]) }

    /// The offsets are those of the center, doubled.
    static func crop(width: Int, height: Int, x: Int, y: Int) -> [UInt8] {
        box("clap", [width, 1, height, 1, x & 0xFFFF_FFFF, 2, y & 0xFFFF_FFFF, 2].flatMap(long))
    }

    /// Four fields of one color each, as in ``color(_:_:)``.
    static let picture = Item(
        content: bytes(
            """
            AAAAPCgBrwY4Wvz9N/h4f//+kzHof6Gfmwlf1d2n/+zLv//z6s7GY/RMNRv2YHb/+mVKy1B+xka/+yej1+dHXA==
            """),
        properties: [
            box(
                "hvcC",
                bytes(
                    """
                    AQQIAAAAnjgAAAAAHvAA/P/4+AAADwNgAAEAF0ABDAH//wQIAAADAJ44AAADAAAeugJAYQABACpCAQEECAAAAwCeOAAAAwAA\
                    HpAEECCy3UklNc3AQ0GBAAADABkAAAMAAQhiAAEACEQBwXKGDAIk
                    """)), size, sRGB,
        ])

    /// Opaque in the upper half, and half transparent in the lower one.
    static let alpha = Item(
        content: bytes(
            """
            AAAAhSgBrgxw4/LGeW/8HNSNAaX/f1qcByWetueS/OX1AmkjmQ/dVOZERSQYAYI6oTHomSSnPE2SgxUewzRVXaDMTAl1YC8g\
            8BphkceJPjMiaJhd0Y3yySnNkP+vVT4JqEKywXnW72vom4zDT5y5+7ezWIzw71dj7XhcCPKt0SWwus9mtSGqp/A=
            """),
        properties: [
            box(
                "hvcC",
                bytes(
                    """
                    AQQIAAAAn/gAAAAAHvAA/Pz4+AAADwNgAAEAF0ABDAH//wQIAAADAJ/4AAADAAAeugJAYQABACZCAQEECAAAAwCf+AAAAwAA\
                    HsCCBBZbqSSmubAgAAADAyAAAAMAIWIAAQAHRAHBcrAiQA==
                    """)), size, alphaKind,
        ])

    /// The fields, with 10 bits.
    static let tenBits = Item(
        content: bytes(
            """
            AAAAPSgBrwY4Wvz9N/h4f//+kzHof6I0RsJX9YCn//s7X//9ANyxmP0Musb9mnb//pqPktQfsewP/sno9fnYxMA=
            """),
        properties: [
            box(
                "hvcC",
                bytes(
                    """
                    AQQIAAAAnDgAAAAAHvAA/P/6+gAADwNgAAEAF0ABDAH//wQIAAADAJw4AAADAAAeugJAYQABACtCAQEECAAAAwCcOAAAAwAA\
                    HpAEECCbLdSSU1zcBDQYEAAAAwGQAAADABCAYgABAAhEAcFyhgwCJA==
                    """)), size, sRGB,
        ])

    /// The fields, with 12 bits.
    static let twelveBits = Item(
        content: bytes(
            """
            AAAAPSgBrwY4Wvz9N/htP//+lHvof6IW5sJX9YLJ//s0V//8/5CxmP0LRUb9mhp//pouEtQfsahH/ssBdfnZicA=
            """),
        properties: [
            box(
                "hvcC",
                bytes(
                    """
                    AQQIAAAAmDgAAAAAHvAA/P/8/AAADwNgAAEAF0ABDAH//wQIAAADAJg4AAADAAAeugJAYQABACtCAQEECAAAAwCYOAAAAwAA\
                    HpAEECCKUt1JJTXNwENBgQAAAwAZAAADAAEIYgABAAhEAcFyhgwCJA==
                    """)), size, sRGB,
        ])

    // MARK: Boxes

    static func word(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
    static func long(_ value: Int) -> [UInt8] { word(value >> 16) + word(value & 0xFFFF) }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        long(8 + content.count) + Array(type.utf8) + content
    }

    static func fullBox(_ type: String, version: UInt8 = 0, _ content: [UInt8]) -> [UInt8] {
        box(type, [version, 0, 0, 0] + content)
    }

    private static func bytes(_ text: String) -> [UInt8] {
        [UInt8](Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
    }
}
#endif
