#if os(Linux) && JPEGXL
/// The head of one frame (ISO/IEC 18181-1, annexes F.2 and F.3), read to learn the frame's size, duration and end.
struct JPEGXLFrame {
    /// The parts of an image's head that the heads of its frames depend on.
    struct Picture {
        let size: PixelSize
        let isXYB: Bool
        let extraChannels: Int
        let hasAnimation: Bool
        let hasTimecodes: Bool
    }

    private enum Kind: Int {
        case regular, lowFrequency, referenceOnly, skipProgressive
    }

    /// The maximum number of sections whose lengths are read, more than the largest image within the limits has.
    private static let mostSections = 1 << 20

    private let picture: Picture
    private var kind = Kind.regular
    private var isModular = false
    private var usesLowFrequencyFrame = false
    private var isYCbCr = false
    private var shifts = (x: 0, y: 0)
    private var upsampling = 1
    private var groupShift = 1
    private var passes = 1
    private var level = 0
    private var isPartial = false
    private var hasExtensions = false
    private var isReplacing = true
    private(set) var size: PixelSize
    private(set) var duration = 0
    private(set) var isLast = true
    /// The one of four places where the frame is kept for frames that refer to it; nil if it isn't kept.
    private(set) var place: Int?
    /// The offset of the first byte after the frame; nil if finding it would require decoding the order of the
    /// sections.
    private(set) var end: Int?

    /// Reads a head. The result is meaningless if the bits end within the head.
    ///
    /// - Throws: If a size exceeds a limit, or if releases of libjxl read the head differently.
    init(_ bits: inout JPEGXLBits, of picture: Picture, _ limits: DecodeLimits) throws(ImageLoaderError) {
        self.picture = picture
        size = picture.size
        if !bits.flag() { readHead(&bits) }
        try check(bits)
        if level > 0 { size = PixelSize(width: size.width.pieces(8, level), height: size.height.pieces(8, level)) }
        if bits.isPastEnd { return }
        try limits.check(size)
        end = sections(&bits)
    }

    /// Refuses heads that releases of libjxl read differently. No encoder is known to write them.
    private func check(_ bits: JPEGXLBits) throws(ImageLoaderError) {
        if bits.isPastEnd { return }
        if hasExtensions { throw .unsupportedImage(.jxl, reason: "a frame with extensions") }
        if kind == .skipProgressive { throw .unsupportedImage(.jxl, reason: "a frame that replaces a coarse one") }
    }

    /// Whether the file shows the frame itself, rather than only as part of another frame.
    var isShown: Bool { kind == .regular && (isLast || duration > 0) }

    private mutating func readHead(_ bits: inout JPEGXLBits) {
        kind = Kind(rawValue: bits.bits(2)) ?? .regular
        isModular = bits.flag()
        usesLowFrequencyFrame = bits.longNumber() & 32 != 0
        if !picture.isXYB { isYCbCr = bits.flag() }
        if !usesLowFrequencyFrame { readSampling(&bits) }
        if isModular { groupShift = bits.bits(2) } else if picture.isXYB { bits.skip(6) }
        if kind != .referenceOnly { readPasses(&bits) }
        if kind == .lowFrequency { level = bits.bits(2) + 1 } else { readPlace(&bits) }
        if kind == .regular || kind == .skipProgressive { readBlending(&bits) } else { isLast = false }
        readReference(&bits)
        bits.skip(8 * bits.number((0, 0), (4, 0), (5, 16), (10, 48)))
        skipFilter(&bits)
        hasExtensions = bits.longNumber() != 0 || hasExtensions
    }

    private mutating func readSampling(_ bits: inout JPEGXLBits) {
        if isYCbCr {
            for _ in 0..<3 {
                let mode = bits.bits(2)
                shifts.x = max(shifts.x, mode == 1 || mode == 2 ? 1 : 0)
                shifts.y = max(shifts.y, mode == 1 || mode == 3 ? 1 : 0)
            }
        }
        upsampling = 1 << bits.bits(2)
        bits.skip(2 * picture.extraChannels)
    }

    private mutating func readPasses(_ bits: inout JPEGXLBits) {
        passes = bits.number((0, 1), (0, 2), (0, 3), (3, 4))
        guard passes > 1 else { return }
        let reductions = bits.number((0, 0), (0, 1), (0, 2), (1, 3))
        bits.skip(2 * (passes - 1) + 2 * reductions)
        for _ in 0..<reductions { _ = bits.number((0, 0), (0, 1), (0, 2), (3, 0)) }
    }

    /// Reads which part of the image the frame covers.
    private mutating func readPlace(_ bits: inout JPEGXLBits) {
        guard bits.flag() else { return }
        func length() -> Int { bits.number((8, 0), (11, 256), (14, 2_304), (30, 18_688)) }
        var origin = (x: 0, y: 0)
        if kind != .referenceOnly {
            let (x, y) = (length(), length())
            // Signed numbers are interleaved.
            origin = (x >> 1 ^ -(x & 1), y >> 1 ^ -(y & 1))
        }
        size = PixelSize(width: length(), height: length())
        isPartial =
            origin.x > 0 || origin.y > 0 || origin.x + size.width < picture.size.width
            || origin.y + size.height < picture.size.height
    }

    private mutating func readBlending(_ bits: inout JPEGXLBits) {
        isReplacing = readBlendMode(&bits)
        for _ in 0..<picture.extraChannels { _ = readBlendMode(&bits) }
        if picture.hasAnimation {
            duration = bits.number((0, 0), (0, 1), (8, 0), (32, 0))
            if picture.hasTimecodes { bits.skip(32) }
        }
        isLast = bits.flag()
    }

    /// Reads a blend mode, and returns whether the frame replaces what it covers.
    private func readBlendMode(_ bits: inout JPEGXLBits) -> Bool {
        let mode = bits.number((0, 0), (0, 1), (0, 2), (2, 3))
        let usesAlpha = picture.extraChannels > 0 && (mode == 2 || mode == 3)
        if usesAlpha { _ = bits.number((0, 0), (0, 1), (0, 2), (3, 3)) }
        if usesAlpha || mode == 4 { bits.skip(1) }
        if mode != 0 || isPartial { bits.skip(2) }
        return mode == 0
    }

    private mutating func readReference(_ bits: inout JPEGXLBits) {
        var number = 0
        if kind != .lowFrequency, !isLast { number = bits.bits(2) }
        let canBeReferenced = !isLast && kind != .lowFrequency && (duration == 0 || number != 0)
        if canBeReferenced { place = number }
        let isWhole = canBeReferenced && isReplacing && !isPartial && kind != .referenceOnly
        // A flag: whether the frame is kept before its colors are converted.
        if isWhole || kind == .referenceOnly { bits.skip(1) }
    }

    private mutating func skipFilter(_ bits: inout JPEGXLBits) {
        if bits.flag() { return }
        if bits.flag(), bits.flag() { bits.skip(6 * 16) }
        if bits.bits(2) > 0 {
            if !isModular, bits.flag() { bits.skip(8 * 16) }
            if bits.flag() { bits.skip(5 * 16) }
            if bits.flag() { bits.skip((isModular ? 3 : 4) * 16) }
            if isModular { bits.skip(16) }
        }
        hasExtensions = bits.longNumber() != 0
    }

    /// Reads the lengths of the sections, and returns the end of the last one; nil if there are too many or their order
    /// is coded.
    private func sections(_ bits: inout JPEGXLBits) -> Int? {
        let count = sectionCount
        // The flag means that the order of the sections is coded.
        if count > Self.mostSections || bits.flag() { return nil }
        bits.align()
        var length = 0
        for _ in 0..<count where !bits.isPastEnd {
            length += bits.number((10, 0), (14, 1_024), (22, 17_408), (30, 4_211_712))
        }
        bits.align()
        return bits.offset + length
    }

    private var sectionCount: Int {
        let side = 128 << groupShift
        let (width, height) = (size.width.pieces(upsampling), size.height.pieces(upsampling))
        let groups = width.pieces(side) * height.pieces(side)
        if groups == 1, passes == 1 { return 1 }
        let columns = width.pieces(8 << shifts.x) << shifts.x
        let rows = height.pieces(8 << shifts.y) << shifts.y
        return 2 + columns.pieces(side) * rows.pieces(side) + groups * passes
    }
}

extension Int {
    /// Divides by a length several times, rounding up.
    fileprivate func pieces(_ length: Int, _ times: Int = 1) -> Int {
        (0..<times).reduce(self) { rest, _ in (rest + length - 1) / length }
    }
}
#endif
