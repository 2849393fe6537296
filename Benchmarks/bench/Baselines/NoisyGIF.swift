import AlcedoTestSupport
import Foundation

/// A GIF of a gradient with noise, like a dithered photo: every frame covers the canvas.
struct NoisyGIF {
    let width: Int
    let height: Int
    let frames: Int
    /// The seed of the noise, so that files can differ.
    var seed = 0

    /// Returns the file. Only `pictures` images are generated; they are repeated until there are enough frames.
    func data(pictures: Int) -> Data {
        var bytes = Array("GIF89a".utf8)
        bytes += word(width)
        bytes += word(height)
        bytes += [0xF5, 0, 0] as [UInt8]
        for level in 0..<64 { bytes += [UInt8(level * 4), UInt8(255 - level * 4), UInt8(level)] }
        bytes += [0x21, 0xFF, 11] as [UInt8]
        bytes += Array("NETSCAPE2.0".utf8)
        bytes += [3, 1, 0, 0, 0] as [UInt8]
        let images = (0..<pictures).map(image)
        var data = Data(bytes)
        for frame in 0..<frames {
            data.append(contentsOf: [0x21, 0xF9, 4, 4, 5, 0, 0, 0, 0x2C, 0, 0, 0, 0] as [UInt8])
            data.append(contentsOf: word(width))
            data.append(contentsOf: word(height))
            data.append(0)
            data.append(contentsOf: images[frame % pictures])
        }
        data.append(0x3B)
        return data
    }

    private func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    private func image(_ number: Int) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(number + 1_000 * seed))
        var packer = Packer()
        for y in 0..<height {
            for x in 0..<width {
                let ground = (x + y + number * 40) * 56 / (width + height + 400)
                packer.add(ground + (random.place(among: 4) == 0 ? random.place(among: 8) : 0))
            }
        }
        return packer.finish()
    }

    /// Packs six-bit indices with LZW. The table is cleared when it is full.
    private struct Packer {
        private var blocks: [UInt8] = [6]
        private var bytes: [UInt8] = []
        private var bits = 0
        private var count = 0
        private var table = [UInt16](repeating: 0, count: 4_096 * 64)
        private var next = 66
        private var width = 7
        private var current: Int?

        init() { put(64) }

        mutating func add(_ index: Int) {
            guard let before = current else { return current = index }
            let place = before << 6 | index
            if table[place] != 0 { return current = Int(table[place]) }
            put(before)
            current = index
            if next < 4_096 {
                table[place] = UInt16(next)
                if next == 1 << width { width += 1 }
                next += 1
            } else {
                put(64)
                for index in table.indices { table[index] = 0 }
                (next, width) = (66, 7)
            }
        }

        mutating func finish() -> [UInt8] {
            if let current { put(current) }
            if next == 1 << width, width < 12 { width += 1 }
            put(65)
            if count > 0 { bytes.append(UInt8(bits)) }
            flush()
            blocks.append(0)
            return blocks
        }

        private mutating func put(_ code: Int) {
            bits |= code << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                (bits, count) = (bits >> 8, count - 8)
                if bytes.count == 255 { flush() }
            }
        }

        private mutating func flush() {
            guard !bytes.isEmpty else { return }
            blocks.append(UInt8(bytes.count))
            blocks += bytes
            bytes.removeAll(keepingCapacity: true)
        }
    }
}
