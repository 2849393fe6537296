import Foundation

/// Tells whether a JPEG without an end marker has all its pixels, by reading the codes of its scans without computing
/// pixels (ITU-T T.81, annexes F and G).
///
/// Takes about 20 ns per bit of the file.
struct JPEGScanCheck {
    private struct Component {
        let across: Int
        let down: Int
        /// The number of blocks in a scan of this component alone.
        let size: PixelSize
        /// The number of blocks in a row of a scan of several components.
        let stride: Int
        var tables = (dc: 0, ac: 0)
        /// A bit for each coefficient whose last scan has been read.
        var finished: UInt64 = 0
        /// For each block of a progressive file, a bit for each coefficient that isn't zero.
        var coefficients: [UInt64] = []
    }

    /// The coefficients of a progressive scan.
    private struct Band {
        let range: ClosedRange<Int>
        /// Whether the scan refines coefficients of an earlier one.
        let isRefined: Bool
        /// Whether no later scan refines them.
        let isLast: Bool

        var coefficients: UInt64 { range.reduce(0) { $0 | 1 << UInt64($1) } }
    }

    private let bytes: ContiguousArray<UInt8>
    private var scansLeft: Int
    private var isProgressive = false
    private var units = PixelSize(width: 0, height: 0)
    private var components: [Component] = []
    private var numbers: [UInt8] = []
    private var tables: [UInt8: JPEGBits.Table] = [:]
    private var interval = 0
    /// The number of further blocks without any coefficient of the scan.
    private var emptyBlocks = 0

    /// Returns whether no pixel is missing. False for arithmetic coding, which isn't read here, and for more scans than
    /// `most`.
    ///
    /// The size of the image must be within the limits: each scan costs a pass over all blocks, and a progressive file
    /// takes 8 bytes per block.
    static func hasAllPixels(_ data: Data, most: Int) -> Bool {
        var check = JPEGScanCheck(bytes: ContiguousArray(data), scansLeft: most)
        do throws(JPEGBits.Missing) {
            try check.readSegments()
        } catch {
            return false
        }
        return !check.components.isEmpty && check.components.allSatisfy { $0.finished == .max }
    }

    private init(bytes: ContiguousArray<UInt8>, scansLeft: Int) { (self.bytes, self.scansLeft) = (bytes, scansLeft) }

    // MARK: Segments

    private mutating func readSegments() throws(JPEGBits.Missing) {
        var offset = 2
        while let marker = JPEGMarkers.nextMarker(in: bytes.span, at: &offset) {
            if marker == 0xD8 || marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            guard let length = bytes.span.word(at: offset), length >= 2, offset + length <= bytes.count else {
                throw JPEGBits.Missing()
            }
            let segment = ContiguousArray(bytes[offset + 2..<offset + length])
            offset += length
            switch marker {
            case 0xC0, 0xC1, 0xC2: try readFrame(segment, isProgressive: marker == 0xC2)
            case 0xC4: readTables(segment)
            case 0xC3, 0xC5...0xCF: throw JPEGBits.Missing()
            case 0xDD: interval = segment.span.word(at: 0) ?? 0
            case 0xDA: offset = try readScan(segment, at: offset)
            default: break
            }
        }
    }

    private mutating func readFrame(_ segment: ContiguousArray<UInt8>, isProgressive: Bool) throws(JPEGBits.Missing) {
        // Precision (1 byte), height (2), width (2), number of components (1), 3 bytes for each component.
        guard components.isEmpty, segment.count >= 6, segment[5] <= 4, segment.count >= 6 + Int(segment[5]) * 3,
            let height = segment.span.word(at: 1), let width = segment.span.word(at: 3)
        else { throw JPEGBits.Missing() }
        let places = (0..<Int(segment[5])).map { 6 + $0 * 3 }
        numbers = places.map { segment[$0] }
        let factors = places.map { (across: Int(segment[$0 + 1] >> 4), down: Int(segment[$0 + 1] & 15)) }
        guard let across = factors.map(\.across).max(), let down = factors.map(\.down).max(),
            factors.allSatisfy({ (1...4).contains($0.across) && (1...4).contains($0.down) })
        else { throw JPEGBits.Missing() }
        func parts(_ count: Int, of size: Int) -> Int { (count + size - 1) / size }
        units = PixelSize(width: parts(width, of: 8 * across), height: parts(height, of: 8 * down))
        components = factors.map { factor in
            let size = PixelSize(
                width: parts(width * factor.across, of: 8 * across), height: parts(height * factor.down, of: 8 * down))
            let stride = units.width * factor.across
            let count = isProgressive ? stride * units.height * factor.down : 0
            return Component(
                across: factor.across, down: factor.down, size: size, stride: stride,
                coefficients: [UInt64](repeating: 0, count: count))
        }
        self.isProgressive = isProgressive
    }

    /// Each table has a class and a number (1 byte), the number of codes of each length (16), and their values.
    private mutating func readTables(_ segment: ContiguousArray<UInt8>) {
        var rest = segment[...]
        while rest.count >= 17, let name = rest.first {
            let counts = rest.dropFirst().prefix(16).map(Int.init)
            let values = rest.dropFirst(17).prefix(counts.reduce(0, +))
            tables[name] = JPEGBits.Table(counts: counts, values: Array(values))
            rest = rest.dropFirst(17 + values.count)
        }
    }

    // MARK: Scans

    /// Reads a scan and returns the offset behind it.
    private mutating func readScan(_ head: ContiguousArray<UInt8>, at offset: Int) throws(JPEGBits.Missing) -> Int {
        // Number of components (1 byte), 2 bytes for each, then the coefficients: first, last, and their precision.
        guard scansLeft > 0, let count = head.first.map(Int.init), count > 0, head.count >= 4 + count * 2 else {
            throw JPEGBits.Missing()
        }
        scansLeft -= 1
        var scanned: [Int] = []
        for place in 0..<count {
            guard let index = numbers.firstIndex(of: head[1 + place * 2]) else { throw JPEGBits.Missing() }
            let names = head[2 + place * 2]
            components[index].tables = (dc: Int(names >> 4), ac: Int(names & 15))
            scanned.append(index)
        }
        let (first, last, precision) = (Int(head[1 + count * 2]), Int(head[2 + count * 2]), head[3 + count * 2])
        guard !isProgressive || first <= last && last <= 63 && (first == 0 || count == 1) else {
            throw JPEGBits.Missing()
        }
        let isRefined = precision >> 4 != 0
        let band = isProgressive ? Band(range: first...last, isRefined: isRefined, isLast: precision & 15 == 0) : nil
        var bits = JPEGBits(bytes, from: offset)
        emptyBlocks = 0
        if count == 1 {
            try readAlone(scanned[0], band, &bits)
        } else {
            try readTogether(scanned, band, &bits)
        }
        for index in scanned where band?.isLast ?? true {
            components[index].finished |= band?.coefficients ?? .max
        }
        return bits.offset
    }

    private mutating func readAlone(_ index: Int, _ band: Band?, _ bits: inout JPEGBits) throws(JPEGBits.Missing) {
        let size = components[index].size
        for unit in 0..<size.width * size.height {
            try restart(before: unit, &bits)
            try readBlock(index, unit / size.width * components[index].stride + unit % size.width, band, &bits)
        }
    }

    private mutating func readTogether(
        _ scanned: [Int], _ band: Band?, _ bits: inout JPEGBits
    ) throws(JPEGBits.Missing) {
        for unit in 0..<units.width * units.height {
            try restart(before: unit, &bits)
            for index in scanned {
                let component = components[index]
                for block in 0..<component.across * component.down {
                    let row = unit / units.width * component.down + block / component.across
                    let column = unit % units.width * component.across + block % component.across
                    try readBlock(index, row * component.stride + column, band, &bits)
                }
            }
        }
    }

    private mutating func restart(before unit: Int, _ bits: inout JPEGBits) throws(JPEGBits.Missing) {
        guard interval > 0, unit > 0, unit % interval == 0 else { return }
        try bits.restart((unit / interval - 1) % 8)
        emptyBlocks = 0
    }

    private func table(_ isAC: Bool, of index: Int) throws(JPEGBits.Missing) -> JPEGBits.Table {
        let tables = components[index].tables
        guard let table = self.tables[UInt8(isAC ? 16 | tables.ac : tables.dc)] else { throw JPEGBits.Missing() }
        return table
    }

    // MARK: Blocks

    private mutating func readBlock(
        _ index: Int, _ block: Int, _ band: Band?, _ bits: inout JPEGBits
    ) throws(JPEGBits.Missing) {
        guard let band else {
            _ = try bits.bits(bits.value(table(false, of: index)))
            return try readSequential(table(true, of: index), &bits)
        }
        if band.range.lowerBound == 0 {
            _ = try band.isRefined ? bits.bit() : bits.bits(bits.value(table(false, of: index)))
        } else if band.isRefined {
            try refine(index, block, band.range, &bits)
        } else {
            try readFirst(index, block, band.range, &bits)
        }
    }

    private func readSequential(_ table: JPEGBits.Table, _ bits: inout JPEGBits) throws(JPEGBits.Missing) {
        var place = 1
        while place < 64 {
            let code = try bits.value(table)
            let (zeros, size) = (code >> 4, code & 15)
            if size == 0, zeros < 15 { return }
            _ = try bits.bits(size)
            place += zeros + 1
        }
    }

    private mutating func readFirst(
        _ index: Int, _ block: Int, _ range: ClosedRange<Int>, _ bits: inout JPEGBits
    ) throws(JPEGBits.Missing) {
        if emptyBlocks > 0 {
            emptyBlocks -= 1
            return
        }
        let table = try table(true, of: index)
        var place = range.lowerBound
        while place <= range.upperBound {
            let code = try bits.value(table)
            let (zeros, size) = (code >> 4, code & 15)
            if size == 0, zeros < 15 {
                emptyBlocks = (1 << zeros) + (try bits.bits(zeros)) - 1
                return
            }
            _ = try bits.bits(size)
            place += zeros
            if size > 0, place <= range.upperBound { components[index].coefficients[block] |= 1 << UInt64(place) }
            place += 1
        }
    }

    /// Reads one bit for each coefficient that an earlier scan has, and new ones between them.
    private mutating func refine(
        _ index: Int, _ block: Int, _ range: ClosedRange<Int>, _ bits: inout JPEGBits
    ) throws(JPEGBits.Missing) {
        let (table, known) = (try table(true, of: index), components[index].coefficients[block])
        var place = range.lowerBound
        while emptyBlocks == 0, place <= range.upperBound {
            let code = try bits.value(table)
            var zeros = code >> 4
            let isNew = code & 15 != 0
            if isNew {
                _ = try bits.bit()
            } else if zeros < 15 {
                emptyBlocks = (1 << zeros) + (try bits.bits(zeros))
                break
            }
            while place <= range.upperBound {
                if known >> UInt64(place) & 1 == 1 {
                    _ = try bits.bit()
                } else if zeros == 0 {
                    break
                } else {
                    zeros -= 1
                }
                place += 1
            }
            if isNew, place <= range.upperBound { components[index].coefficients[block] |= 1 << UInt64(place) }
            place += 1
        }
        guard emptyBlocks > 0 else { return }
        while place <= range.upperBound {
            if known >> UInt64(place) & 1 == 1 { _ = try bits.bit() }
            place += 1
        }
        emptyBlocks -= 1
    }
}
