import Foundation

@testable import TestFixtures

/// Writes a TIFF of one page without compression.
struct TIFFPageFixture {
    enum Colors: Int {
        case inverted = 0
        case gray, rgb, palette
        case inks = 5
        case yCbCr = 6
        case lab = 8
    }

    var width: Int
    var height: Int
    var colors = Colors.rgb
    var bits = 8
    var samples = 3
    /// The strips or tiles in order.
    var chunks: [[UInt8]]
    var rowsPerStrip: Int?
    var tile: (width: Int, height: Int)?
    var isPlanar = false
    var isLittleEndian = true
    /// More fields, which replace others.
    var fields: [Int: TIFFFixture.Value] = [:]
    /// The offset of the next directory.
    var next = 0

    var bytes: [UInt8] {
        let empty = directory(from: 0).bytes
        var bytes = directory(from: empty.count).bytes
        let end = 10 + 12 * fieldCount
        let place = (0..<4).map { UInt8(next >> (8 * $0) & 255) }
        bytes.replaceSubrange(end..<end + 4, with: isLittleEndian ? place : place.reversed())
        return bytes + chunks.joined()
    }

    var data: Data { Data(bytes) }

    private var fieldCount: Int { allFields(from: 0).count }

    private func directory(from start: Int) -> TIFFFixture {
        TIFFFixture(fields: allFields(from: start), isLittleEndian: isLittleEndian)
    }

    private func allFields(from start: Int) -> [Int: TIFFFixture.Value] {
        let counts = chunks.map(\.count)
        let offsets = counts.indices.map { start + counts[..<$0].reduce(0, +) }
        var all: [Int: TIFFFixture.Value] = [
            256: .longs([width]), 257: .longs([height]), 258: .words([Int](repeating: bits, count: samples)),
            259: .words([1]), 262: .words([colors.rawValue]), 277: .words([samples]),
            284: .words([isPlanar ? 2 : 1]),
        ]
        if let tile {
            all[322] = .longs([tile.width])
            all[323] = .longs([tile.height])
            all[324] = .longs(offsets)
            all[325] = .longs(counts)
        } else {
            all[273] = .longs(offsets)
            all[278] = .longs([rowsPerStrip ?? height])
            all[279] = .longs(counts)
        }
        return all.merging(fields) { $1 }
    }
}
