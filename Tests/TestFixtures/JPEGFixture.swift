import Foundation

/// Writes small progressive JPEGs by hand: gray blocks of 8 × 8 pixels, in which each scan has a zero bit per block.
struct JPEGFixture {
    var blocksPerSide = 1
    /// The bytes between the start marker and the tables.
    var segments: [UInt8] = []
    /// The bytes between two scans.
    var betweenScans: [UInt8] = []
    var scans = 1

    var data: Data {
        let side = UInt16(blocksPerSide * 8)
        let (high, low) = (UInt8(side >> 8), UInt8(side & 255))
        let tables = Self.segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        let frame = Self.segment(0xC2, [8, high, low, high, low, 1, 1, 0x11, 0])
        // A single one-bit code, which means "no difference from the previous block".
        let huffman = Self.segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])
        let scan = Self.segment(0xDA, [1, 1, 0, 0, 0, 0]) + scanBits
        var bytes: [UInt8] = [0xFF, 0xD8] + segments + tables
        bytes += frame + huffman + scan
        for _ in 1..<scans { bytes += betweenScans + scan }
        return Data(bytes + [0xFF, 0xD9])
    }

    /// A baseline file of gray pixels.
    static func plain(_ width: Int, _ height: Int) -> Data {
        let sides = [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) }
        // A one-bit code for "no difference from the previous block", and one for the end of a block.
        let codes = [0x00, 0x10].flatMap { kind -> [UInt8] in
            segment(0xC4, [UInt8(kind), 1] + [UInt8](repeating: 0, count: 15) + [0])
        }
        let start: [UInt8] = [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        let frame = segment(0xC0, [8] + sides + [1, 1, 0x11, 0])
        let blocks = ((width + 7) / 8) * ((height + 7) / 8)
        let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + [UInt8](repeating: 0, count: (blocks + 3) / 4)
        return Data(start + frame + codes + scan + [0xFF, 0xD9])
    }

    private var scanBits: [UInt8] {
        let blocks = blocksPerSide * blocksPerSide
        let whole = [UInt8](repeating: 0, count: blocks / 8)
        return blocks % 8 == 0 ? whole : whole + [0xFF >> UInt8(blocks % 8)]
    }

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }

    /// Returns `jpeg` with an EXIF segment after its start marker.
    static func adding(exif: [UInt8], to jpeg: Data) -> Data {
        Data(jpeg.prefix(2) + segment(0xE1, Array("Exif\0\0".utf8) + exif) + jpeg.dropFirst(2))
    }
}

/// Writes EXIF blocks, valid or not.
struct EXIFFixture {
    var orientation: UInt16 = 1
    var littleEndian = true
    var directoryOffset: UInt32 = 8
    var claimedEntries: UInt16 = 2
    var type: UInt16 = 3
    var count: UInt32 = 1

    var bytes: [UInt8] {
        var bytes = Array((littleEndian ? "II" : "MM").utf8) + word(42)
        bytes += long(directoryOffset) + word(claimedEntries)
        bytes += word(0x0100) + word(3) + long(1) + word(1) + word(0)
        bytes += word(0x0112) + word(type) + long(count) + word(orientation) + word(0)
        return bytes + long(0)
    }

    private func word(_ value: UInt16) -> [UInt8] {
        let bytes = [UInt8(value & 255), UInt8(value >> 8)]
        return littleEndian ? bytes : bytes.reversed()
    }

    private func long(_ value: UInt32) -> [UInt8] {
        let bytes = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
        return littleEndian ? bytes : bytes.reversed()
    }
}
