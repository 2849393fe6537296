#if GIF || canImport(Darwin)
import Foundation

/// Writes the blocks of a GIF (GIF89a specification, 1990).
///
/// A frame is written once the next one is known, because only the next one determines whether the frame must be
/// cleared: no image can make visible pixels transparent. The writer holds three canvases in memory besides the file.
///
/// Some viewers show the background color where there is no image or where one was cleared, unless that color is
/// transparent. An image that leaves such holes therefore has a transparent index, which equals the background index.
struct GIFWriter: AnimationWriting {
    private let size: PixelSize
    private let dithers: Bool
    private var checks: FrameChecks
    private var ticks = DelayTicks(of: .milliseconds(10), most: 65_535)
    private var file = Data()
    /// The palette of the first frame, for later frames that need no other colors.
    private var shared: GIFPalette?
    /// The visible pixels before the waiting frame: each a color in memory order, or 0 for transparent.
    private var shown: [UInt32] = []
    /// The offset of the first frame's flags in the file.
    private var firstFlags: Int?
    /// Whether any frame has transparent pixels.
    private var hasHoles = false
    private var waiting: (picture: [UInt32], ticks: Int)?

    init(_ size: PixelSize, _ loopCount: LoopCount, dithers: Bool) throws(ImageLoaderError) {
        // The file stores the number of repetitions, one less than the number of plays.
        checks = try FrameChecks(.gif, size, loopCount, longestSide: 65_535, mostPlays: 65_536)
        self.size = size
        self.dithers = dithers
    }

    mutating func append(_ frame: AnimationFrame) throws(ImageLoaderError) {
        let picture = try checks.add(frame) { frame.bitmap.colorsWithoutAlpha() }
        if waiting == nil { shown = Array(repeating: 0, count: picture.count) }
        writeWaiting(before: picture)
        waiting = (picture, ticks.next(frame.delay))
    }

    mutating func finish() throws(ImageLoaderError) -> Data {
        try checks.finish()
        writeWaiting(before: nil)
        // Some viewers consider an animation opaque if its first frame has no transparent index.
        if hasHoles, let firstFlags, shared?.transparentIndex == GIFPalette.background { file[firstFlags] |= 1 }
        file.append(0x3B)
        return file
    }

    private mutating func writeWaiting(before next: [UInt32]?) {
        guard let (picture, ticks) = waiting else { return }
        waiting = nil
        hasHoles = hasHoles || picture.contains(0)
        let vanishing = next.flatMap { next in
            PixelRectangle.bounds(size) { picture[$0] != 0 && next[$0] == 0 }
        }
        let changed = PixelRectangle.bounds(size) { picture[$0] != shown[$0] }
        let part = changed?.union(vanishing) ?? vanishing ?? .pixel
        let leavesHoles = vanishing != nil || shared == nil && picture.contains(0)
        var image = GIFImage(picture, over: shown, part, width: size.width, leavesHoles: leavesHoles)
        image.choosePalette(shared, dithers: dithers)
        if shared == nil {
            writeHead(image.palette)
            image.usesShared = true
        }
        write(image, part, ticks: ticks, isCleared: vanishing != nil)
        shown = picture
        if vanishing != nil {
            for row in part.rows {
                for index in row * size.width + part.x..<row * size.width + part.columns.upperBound { shown[index] = 0 }
            }
        }
    }

    private mutating func writeHead(_ palette: GIFPalette) {
        shared = palette
        file += Array("GIF89a".utf8) + Self.word(size.width) + Self.word(size.height)
        file += [0x80 | UInt8(palette.bits - 1), GIFPalette.background, 0]
        file += palette.bytes
        if checks.plays != 1 {
            let repetitions = Self.word(max(0, checks.plays - 1))
            file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + repetitions + [0]
        }
    }

    private mutating func write(_ image: GIFImage, _ part: PixelRectangle, ticks: Int, isCleared: Bool) {
        let transparent = image.transparentIndex
        let flags: UInt8 = (isCleared ? 2 : 1) << 2 | (transparent == nil ? 0 : 1)
        firstFlags = firstFlags ?? file.count + 3
        file += [0x21, 0xF9, 4, flags] + Self.word(ticks) + [transparent ?? GIFPalette.background, 0]
        file += [0x2C] + [part.x, part.y, part.size.width, part.size.height].flatMap(Self.word)
        if image.usesShared {
            file.append(0)
        } else {
            file.append(0x80 | UInt8(image.palette.bits - 1))
            file += image.palette.bytes
        }
        var packer = GIFPacker(indexBits: image.palette.bits)
        packer.pack(image.indices)
        file.append(UInt8(image.palette.bits))
        for start in stride(from: 0, to: packer.bytes.count, by: 255) {
            let block = packer.bytes[start..<min(start + 255, packer.bytes.count)]
            file.append(UInt8(block.count))
            file += block
        }
        file.append(0)
    }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
}

extension Bitmap {
    /// The pixels in memory order: opaque with straight colors, or 0 where the alpha is less than half.
    fileprivate func colorsWithoutAlpha() -> [UInt32] {
        withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt32.self).map { pixel in
                let pixel = UInt32(littleEndian: pixel)
                return pixel >> 24 < 128 ? 0 : pixel.unpremultiplied | 0xFF00_0000
            }
        }
    }
}
#endif
