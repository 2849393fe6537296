#if os(Linux) && PNG
/// The smallest lossless layout of a bitmap's pixels in a PNG.
struct PNGLayout {
    /// The color types (PNG third edition, section 11.2.1).
    enum ColorType: Int32 {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayWithAlpha = 4
        case rgbWithAlpha = 6
    }

    let type: ColorType
    /// The number of bits of each sample.
    let depth: Int
    /// The straight colors of a palette in memory order, those with transparency first; empty without one.
    let palette: [UInt32]
    /// Whether neighboring numbers mean similar colors, so that filters help.
    let isOrdered: Bool
    /// The premultiplied colors of the palette, without transparent black, which is always the first color.
    private var table = ColorTable()
    private var firstIndex: UInt8 = 0

    /// - Parameters:
    ///   - hasGray: false for a file with an RGB profile, which must not be stored as gray.
    ///   - hasPalette: false for the smallest layout without a palette.
    init(of bitmap: Bitmap, hasGray: Bool, hasPalette: Bool = true) {
        let colors = BitmapColors(of: bitmap)
        let whole = Self.withoutPalette(colors, hasGray: hasGray)
        guard let all = colors.all else {
            self.init(whole.type, depth: 8, isOrdered: true)
            return
        }
        let depth = [1, 2, 4].first { all.count <= 1 << $0 } ?? 8
        let clear = all.prefix { $0 >> 24 < 255 }.count
        let chunks = 12 + 3 * all.count + (clear == 0 ? 0 : 12 + clear)
        let width = bitmap.size.width
        let rows = bitmap.size.height
        guard hasPalette, (width * depth + 7) / 8 * rows + chunks < (width * whole.bits + 7) / 8 * rows else {
            self.init(whole.type, depth: min(whole.bits, 8), isOrdered: whole.bits >= 8)
            return
        }
        self.init(
            .palette, depth: depth, palette: all.map(\.unpremultiplied),
            isOrdered: depth == 8 && colors.isGray)
        for color in all {
            if color == 0 { firstIndex = 1 } else { _ = table.add(color) }
        }
    }

    private init(_ type: ColorType, depth: Int, palette: [UInt32] = [], isOrdered: Bool) {
        (self.type, self.depth, self.palette, self.isOrdered) = (type, depth, palette, isOrdered)
    }

    /// A layout for any bitmap: all frames of an animation share one, and later frames aren't known yet.
    static let any = PNGLayout(.rgbWithAlpha, depth: 8, isOrdered: true)

    /// The smallest type without a palette, and the number of bits of a pixel.
    private static func withoutPalette(_ colors: BitmapColors, hasGray: Bool) -> (type: ColorType, bits: Int) {
        guard hasGray, colors.isGray else { return colors.isOpaque ? (.rgb, 24) : (.rgbWithAlpha, 32) }
        guard colors.isOpaque else { return (.grayWithAlpha, 16) }
        // The multiples of 255, 85 and 17 are the grays of 1, 2 and 4 bits.
        let bits = [(1, 255 as UInt32), (2, 85), (4, 17)].first { _, step in
            colors.all?.allSatisfy { $0 & 0xFF % step == 0 } ?? false
        }
        return (.gray, bits?.0 ?? 8)
    }

    /// The number of bytes of a pixel in ``pack(_:count:to:)``.
    var bytesPerPixel: Int {
        switch type {
        case .gray, .palette: 1
        case .grayWithAlpha: 2
        case .rgb: 3
        case .rgbWithAlpha: 4
        }
    }

    /// Writes a row of the bitmap in this layout, but with a whole byte for each sample of fewer bits.
    func pack(_ pixels: UnsafePointer<UInt32>, count: Int, to row: UnsafeMutablePointer<UInt8>) {
        switch type {
        case .gray:
            let shift = UInt32(8 - depth)
            for x in 0..<count { row[x] = UInt8(truncatingIfNeeded: (UInt32(littleEndian: pixels[x]) & 0xFF) >> shift) }
        case .palette: packIndices(pixels, count: count, to: row)
        case .grayWithAlpha:
            for x in 0..<count {
                let pixel = UInt32(littleEndian: pixels[x]).unpremultiplied
                row[2 * x] = UInt8(truncatingIfNeeded: pixel)
                row[2 * x + 1] = UInt8(truncatingIfNeeded: pixel >> 24)
            }
        case .rgb:
            for x in 0..<count {
                let pixel = UInt32(littleEndian: pixels[x])
                row[3 * x] = UInt8(truncatingIfNeeded: pixel)
                row[3 * x + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
                row[3 * x + 2] = UInt8(truncatingIfNeeded: pixel >> 16)
            }
        case .rgbWithAlpha:
            for x in 0..<count {
                let pixel = UInt32(littleEndian: pixels[x]).unpremultiplied
                UnsafeMutableRawPointer(row).storeBytes(of: pixel.littleEndian, toByteOffset: 4 * x, as: UInt32.self)
            }
        }
    }

    private func packIndices(_ pixels: UnsafePointer<UInt32>, count: Int, to row: UnsafeMutablePointer<UInt8>) {
        var last: UInt32 = 0
        var index: UInt8 = 0
        for x in 0..<count {
            let pixel = UInt32(littleEndian: pixels[x])
            if pixel != last {
                index = table.place(of: pixel).map { $0 + firstIndex } ?? 0
                last = pixel
            }
            row[x] = index
        }
    }
}
#endif
