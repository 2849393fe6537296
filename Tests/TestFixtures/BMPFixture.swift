import Foundation

/// Writes any BMP, valid or not, from the values that a test chooses.
struct BMPFixture {
    var width: Int
    /// The height; negative if the rows are stored from the top down.
    var height: Int
    var bits = 24
    /// 12 or 16 for OS/2, 40 for Windows 3, 52 to 124 for later versions.
    var headerLength = 40
    var compression = 0
    /// The colors as red, green and blue.
    var palette: [[UInt8]] = []
    /// The number of colors in the header.
    var paletteCount = 0
    /// The masks of red, green, blue and, if there is one, alpha.
    var masks: [UInt32] = []
    /// The bytes after the pixels.
    var end: [UInt8] = []
    /// The pixels as they are stored.
    var pixels: [UInt8] = []
    /// The offset of the pixels in the header; nil for the right one.
    var pixelOffset: Int?
    /// Changes to the header, by their offsets in it.
    var changes: [Int: [UInt8]] = [:]

    /// Returns a bitmap from values with as many bits as a pixel, the top row first.
    static func of(_ rows: [[UInt32]], bits: Int, topDown: Bool = false) -> Self {
        var file = Self(width: rows.first?.count ?? 0, height: topDown ? -rows.count : rows.count, bits: bits)
        file.pixels = (topDown ? rows : rows.reversed()).flatMap { packed($0, bits: bits) }
        return file
    }

    /// A row, padded with zeros to a multiple of four bytes.
    static func packed(_ row: [UInt32], bits: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        if bits < 8 {
            let perByte = 8 / bits
            for start in stride(from: 0, to: row.count, by: perByte) {
                let byte = (0..<perByte).reduce(UInt32(0)) { sum, index in
                    sum << UInt32(bits) | (start + index < row.count ? row[start + index] : 0)
                }
                bytes.append(UInt8(truncatingIfNeeded: byte))
            }
        } else {
            for number in row { bytes += little(Int(number)).prefix(bits / 8) }
        }
        return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    private var paletteBytes: [UInt8] {
        palette.flatMap { color in color.reversed() + (headerLength == 12 ? [] : [0]) }
    }

    /// The masks that follow the header.
    private var looseMasks: [UInt8] { headerLength == 40 ? masks.flatMap { Self.little(Int($0)) } : [] }

    /// The bitmap without the file header, as stored in an icon.
    ///
    /// - Parameter rows: The height in the header; nil for the right one.
    func bitmap(rows: Int? = nil) -> [UInt8] {
        var header = Self.little(headerLength)
        if headerLength == 12 {
            header += Self.little(width).prefix(2) + Self.little(rows ?? height).prefix(2)
            header += [1, 0, UInt8(bits), 0]
        } else {
            header += Self.little(width) + Self.little(rows ?? height) + [1, 0, UInt8(bits), 0]
            header += Self.little(compression) + [0, 0, 0, 0] + Self.little(2_835) + Self.little(2_835)
            header += Self.little(paletteCount) + [0, 0, 0, 0] + masks.flatMap { Self.little(Int($0)) }
        }
        header = Array(header.prefix(headerLength))
        header += [UInt8](repeating: 0, count: headerLength - header.count)
        for (offset, bytes) in changes { header.replaceSubrange(offset..<offset + bytes.count, with: bytes) }
        return header + looseMasks + paletteBytes + pixels + end
    }

    var data: Data {
        let offset = 14 + headerLength + looseMasks.count + paletteBytes.count
        let body = bitmap()
        var data = Data("BM".utf8)
        data += Self.little(14 + body.count) + Self.little(0) + Self.little(pixelOffset ?? offset)
        return data + body
    }

    static func little(_ value: Int) -> [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } }

    /// Distinct colors, one for each value of `bits` bits.
    static func colors(_ bits: Int) -> [[UInt8]] {
        (0..<1 << bits).map { [UInt8($0), UInt8(255 - $0), UInt8(truncatingIfNeeded: $0 * 37)] }
    }
}

/// Writes icons and cursors from images in their stored form.
struct ICOFixture {
    var isCursor = false
    var pictures: [[UInt8]] = []
    /// Offsets that replace the right ones in the directory, by the index of the image.
    var offsets: [Int: Int] = [:]
    /// Lengths that replace the right ones in the directory, by the index of the image.
    var lengths: [Int: Int] = [:]

    var data: Data {
        var file: [UInt8] = [0, 0, isCursor ? 2 : 1, 0] + BMPFixture.little(pictures.count).prefix(2)
        var offset = 6 + 16 * pictures.count
        for (index, picture) in pictures.enumerated() {
            file += [UInt8](repeating: 0, count: 8) + BMPFixture.little(lengths[index] ?? picture.count)
            file += BMPFixture.little(offsets[index] ?? offset)
            offset += picture.count
        }
        return Data(file + pictures.joined())
    }

    /// An image of one color, whose mask hides no pixel.
    static func plain(_ side: Int, bits: Int, _ color: [UInt8]) -> [UInt8] {
        let number = color.reduce(UInt32(255)) { $0 << 8 | UInt32($1) }
        let row = [UInt32](repeating: bits == 8 ? 1 : number, count: side)
        var bitmap = BMPFixture.of([[UInt32]](repeating: row, count: side), bits: bits)
        if bits == 8 { (bitmap.palette, bitmap.paletteCount) = ([[0, 0, 0], color], 2) }
        return bitmap.icon(mask: [[UInt32]](repeating: [UInt32](repeating: 0, count: side), count: side))
    }
}

extension BMPFixture {
    /// This bitmap as an image of an icon.
    ///
    /// - Parameter mask: 1 for each transparent pixel, the top row first.
    func icon(mask: [[UInt32]]) -> [UInt8] {
        var bitmap = self
        bitmap.end = mask.reversed().flatMap { Self.packed($0, bits: 1) }
        return bitmap.bitmap(rows: 2 * height)
    }
}
