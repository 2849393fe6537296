import Foundation

/// Writes any GIF, valid or not, from the values that a test chooses.
struct GIFFixture {
    var width: Int
    var height: Int
    /// Red, green and blue of each color, padded with black to a power of two; nil for no palette.
    var palette: [[UInt8]]? = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 9, 9]]
    /// The value of the NETSCAPE extension.
    var loop: Int?
    var images: [Image] = []
    /// The trailer, or the bytes in its place.
    var end: [UInt8] = [0x3B]

    struct Image {
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        /// The indices from the top, whatever the order of the rows in the file.
        var indices: [UInt8]
        var palette: [[UInt8]]?
        var transparent: UInt8?
        var disposal = 0
        var delay = 0
        var isInterlaced = false
        var indexBits = 2
        /// Whether a full table is cleared, as most writers do.
        var clearsFullTable = true
        /// Codes that replace the indices. They begin without a clear code and all have the first width.
        var codes: [Int]?
    }

    /// An image of `width` × `height` pixels with all four colors.
    static func still(_ width: Int, _ height: Int) -> GIFFixture {
        GIFFixture(width: width, height: height, images: [.pattern(width, height)])
    }

    /// Frames with all disposal methods, with holes and with images smaller than the canvas.
    static func animation(_ count: Int = 4) -> GIFFixture {
        var file = GIFFixture(width: 6, height: 5, loop: 0)
        for number in 0..<count {
            var image = Image.pattern(6 - number % 3, 5 - number % 2, from: number)
            image.left = number % 3
            image.disposal = number % 4
            image.delay = number
            image.transparent = number == 0 ? nil : 1
            image.isInterlaced = number % 2 == 1
            file.images.append(image)
        }
        return file
    }

    var data: Data {
        var bytes = Array("GIF89a".utf8) + Self.word(width) + Self.word(height)
        bytes += [Self.flags(palette), 0, 0] + Self.colors(palette)
        if let loop { bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + Self.word(loop) + [0] }
        return Data(bytes + images.flatMap(\.bytes) + end)
    }

    fileprivate static func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    fileprivate static func bits(_ palette: [[UInt8]]) -> Int { (1...8).first { palette.count <= 1 << $0 } ?? 8 }

    fileprivate static func flags(_ palette: [[UInt8]]?) -> UInt8 { palette.map { 0x80 | UInt8(bits($0) - 1) } ?? 0 }

    fileprivate static func colors(_ palette: [[UInt8]]?) -> [UInt8] {
        guard let palette else { return [] }
        return palette.flatMap { $0 } + [UInt8](repeating: 0, count: ((1 << bits(palette)) - palette.count) * 3)
    }
}

extension GIFFixture.Image {
    static func pattern(_ width: Int, _ height: Int, from first: Int = 0) -> Self {
        Self(
            width: width, height: height,
            indices: (0..<width * height).map { UInt8(($0 % width + 2 * ($0 / width) + first) % 4) })
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if delay != 0 || disposal != 0 || transparent != nil {
            let flags = UInt8(disposal << 2) | (transparent == nil ? 0 : 1)
            bytes += [0x21, 0xF9, 4, flags] + GIFFixture.word(delay) + [transparent ?? 0, 0]
        }
        bytes += [0x2C] + [left, top, width, height].flatMap(GIFFixture.word)
        bytes += [GIFFixture.flags(palette) | (isInterlaced ? 0x40 : 0)] + GIFFixture.colors(palette)
        return bytes + [UInt8(indexBits)] + Self.blocks(packed) + [0]
    }

    private static func blocks(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 255).flatMap { start in
            let block = bytes[start..<min(start + 255, bytes.count)]
            return [UInt8(block.count)] + block
        }
    }

    private var indicesInOrder: [UInt8] {
        guard isInterlaced else { return indices }
        let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
        let rows = passes.flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
        return rows.flatMap { indices[$0 * width..<($0 + 1) * width] }
    }

    private var packed: [UInt8] {
        var output = Bits()
        if let codes {
            for code in codes { output.append(code, indexBits + 1) }
            return output.bytes
        }
        let clear = 1 << indexBits
        var (table, next, width) = ([Int: Int](), clear + 2, indexBits + 1)
        var current: Int?
        output.append(clear, width)
        for index in indicesInOrder.map(Int.init) {
            guard let before = current else {
                current = index
                continue
            }
            if let code = table[before << 8 | index] {
                current = code
                continue
            }
            output.append(before, width)
            current = index
            if next < 4_096 {
                table[before << 8 | index] = next
                if next >= 1 << width { width += 1 }
                next += 1
            } else if clearsFullTable {
                output.append(clear, width)
                (table, next, width) = ([:], clear + 2, indexBits + 1)
            }
        }
        if let current { output.append(current, width) }
        if next >= 1 << width, width < 12 { width += 1 }
        output.append(clear + 1, width)
        return output.bytes
    }

    /// Writes bits, the least significant one first.
    private struct Bits {
        var bytes: [UInt8] = []
        private var free = 0

        mutating func append(_ code: Int, _ width: Int) {
            for bit in 0..<width {
                if free == 0 {
                    bytes.append(0)
                    free = 8
                }
                bytes[bytes.count - 1] |= UInt8(code >> bit & 1) << UInt8(8 - free)
                free -= 1
            }
        }
    }
}
