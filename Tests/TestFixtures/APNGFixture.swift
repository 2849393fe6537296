import Foundation

/// Writes animated PNGs, valid or not.
struct APNGFixture {
    struct Frame {
        var x = 0
        var y = 0
        var width = 2
        var height = 1
        var delay = (1, 10)
        var dispose: UInt8 = 0
        var blend: UInt8 = 0
        /// Straight RGBA.
        var pixels: [UInt8]
    }

    var width = 2
    var height = 1
    var plays = 0
    var frames: [Frame]
    /// The pixels of the still image if it isn't one of the frames.
    var hidden: [UInt8]?
    /// The claimed number of frames; nil for the right number.
    var claimed: Int?
    /// The sequence number from which on all numbers are one too high; nil for none.
    var skipsAt: Int?

    var data: Data {
        var sequence = 0
        func number() -> [UInt8] {
            defer { sequence += 1 }
            return PNGFixture.long(sequence + (skipsAt.map { sequence >= $0 ? 1 : 0 } ?? 0))
        }
        let header = PNGFixture.long(width) + PNGFixture.long(height) + [8, 6, 0, 0, 0]
        var chunks: [(String, [UInt8])] = [
            ("IHDR", header), ("acTL", PNGFixture.long(claimed ?? frames.count) + PNGFixture.long(plays)),
        ]
        if let hidden { chunks.append(("IDAT", Self.packed(hidden, width))) }
        for (index, frame) in frames.enumerated() {
            chunks.append(("fcTL", number() + Self.control(frame)))
            let pixels = Self.packed(frame.pixels, frame.width)
            if index == 0, hidden == nil {
                chunks.append(("IDAT", pixels))
            } else {
                // The data is split, as encoders may do.
                chunks.append(("fdAT", number() + pixels.prefix(5)))
                chunks.append(("fdAT", number() + pixels.dropFirst(5)))
            }
        }
        chunks.append(("IEND", []))
        return Data(PNGFixture.signature + chunks.flatMap(PNGFixture.chunk))
    }

    private static func control(_ frame: Frame) -> [UInt8] {
        let places = [frame.width, frame.height, frame.x, frame.y].flatMap(PNGFixture.long)
        let delay = [frame.delay.0, frame.delay.1].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return places + delay + [frame.dispose, frame.blend]
    }

    private static func packed(_ pixels: [UInt8], _ width: Int) -> [UInt8] {
        let rows = stride(from: 0, to: pixels.count, by: max(1, width * 4)).flatMap {
            [0] + pixels[$0..<$0 + width * 4]
        }
        return PNGFixture.zlib(rows)
    }
}
