#if GIF || canImport(Darwin)
/// The metadata in the blocks of a GIF (GIF89a specification, 1990). Doesn't read pixels.
///
/// As in browsers, a file ends at its trailer, at its last byte or, after the first image, at a byte that doesn't
/// begin a block.
struct GIFBlocks: Sendable {
    /// The width and height of the canvas. A side that is 0 in the file is extended to hold the first image.
    private(set) var size: PixelSize
    /// All images whose data are complete.
    private(set) var frames: [GIFFrame] = []
    /// The image after ``frames``, if the file ends within its data. All its pixels may be present.
    private(set) var cutFrame: GIFFrame?
    private(set) var loopCount = LoopCount.times(1)
    /// The reason why no images after ``frames`` can be read, if there are any.
    private(set) var damage: String?

    private var globalPalette: (offset: Int, bits: UInt8)?
    /// The last graphic control, which applies to the next image; nil if there was none.
    private var control: Control?

    private struct Control {
        var delay: UInt16 = 0
        var disposal = GIFFrame.Disposal.keep
        var transparentIndex: UInt8?
    }

    /// The result of reading one block.
    private enum Step { case next, end, damage(String) }

    init(scanning bytes: Span<UInt8>, limits: DecodeLimits) throws(ImageLoaderError) {
        guard bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) else {
            throw .corruptImage(.gif, reason: "no signature")
        }
        guard let width = bytes.little(at: 6), let height = bytes.little(at: 8), let flags = bytes.byte(at: 10) else {
            throw .corruptImage(.gif, reason: "ends within the description of its canvas")
        }
        size = PixelSize(width: Int(width), height: Int(height))
        var offset = 13
        globalPalette = Self.palette(flags, at: &offset)
        try scan(bytes, from: offset, limits)
        try check(limits)
    }

    /// Adds ``cutFrame`` to ``frames``.
    mutating func takeCutFrame(_ limits: DecodeLimits) throws(ImageLoaderError) {
        guard let frame = cutFrame else { return }
        (cutFrame, damage) = (nil, nil)
        frames.append(frame)
        try check(limits)
    }

    private mutating func check(_ limits: DecodeLimits) throws(ImageLoaderError) {
        if let first = frames.first ?? cutFrame {
            if size.width == 0 { size.width = Int(first.left) + Int(first.width) }
            if size.height == 0 { size.height = Int(first.top) + Int(first.height) }
        }
        guard size.width > 0, size.height > 0 else {
            throw .corruptImage(.gif, reason: "\(size.width) × \(size.height) pixels")
        }
        try limits.check(size)
        guard frames.count > 1 else { return }
        try limits.check(animation: size, frames: frames.count)
        for frame in frames { try limits.check(animation: frame.size, frames: frames.count) }
    }

    private mutating func scan(_ bytes: Span<UInt8>, from start: Int, _ limits: DecodeLimits) throws(ImageLoaderError) {
        var offset = start
        if offset > bytes.count { damage = "ends within its palette" }
        while damage == nil {
            guard let introducer = bytes.byte(at: offset) else {
                // After an image, only the trailer is missing. There is no way to know whether more images followed.
                if frames.isEmpty || control != nil { damage = "ends before an image" }
                return
            }
            offset += 1
            let step: Step
            switch introducer {
            case 0x21: step = skipExtension(bytes, at: &offset)
            case 0x2C: step = try addImage(bytes, at: &offset, limits)
            case 0x3B: step = .end
            default: step = frames.isEmpty ? .damage("a block of an unknown kind before the first image") : .end
            }
            switch step {
            case .next: break
            case .end: return
            case .damage(let words): damage = words
            }
        }
    }

    private mutating func skipExtension(_ bytes: Span<UInt8>, at offset: inout Int) -> Step {
        guard let label = bytes.byte(at: offset) else { return .damage("ends within an extension") }
        let content = offset + 1
        offset = content
        guard bytes.skipDataBlocks(at: &offset) else { return .damage("ends within an extension") }
        if label == 0xF9, let length = bytes.byte(at: content), length >= 4 {
            readControl(bytes, at: content + 1)
        } else if label == 0xFF,
            bytes.has("\u{B}NETSCAPE2.0", at: content) || bytes.has("\u{B}ANIMEXTS1.0", at: content)
        {
            readLoopCount(bytes, at: content + 12)
        }
        return .next
    }

    private mutating func readControl(_ bytes: Span<UInt8>, at offset: Int) {
        guard let flags = bytes.byte(at: offset), let delay = bytes.little(at: offset + 1) else { return }
        var control = Control(delay: delay)
        control.transparentIndex = flags & 1 == 0 ? nil : bytes.byte(at: offset + 3)
        control.disposal =
            switch flags >> 2 & 7 {
            case 2: .clear
            // Some programs wrote the bit's number instead of the value; browsers accept both.
            case 3, 4: .restore
            default: .keep
            }
        self.control = control
    }

    /// Reads the loop count. As in all browsers, the value is the number of repetitions after the first play, and 0
    /// means forever. A file without this block plays once.
    private mutating func readLoopCount(_ bytes: Span<UInt8>, at offset: Int) {
        guard let length = bytes.byte(at: offset), length >= 3, let kind = bytes.byte(at: offset + 1), kind & 7 == 1,
            let value = bytes.little(at: offset + 2)
        else { return }
        loopCount = LoopCount(plays: value == 0 ? 0 : Int(value) + 1)
    }

    private mutating func addImage(
        _ bytes: Span<UInt8>, at offset: inout Int, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> Step {
        guard let left = bytes.little(at: offset), let top = bytes.little(at: offset + 2),
            let width = bytes.little(at: offset + 4), let height = bytes.little(at: offset + 6),
            let flags = bytes.byte(at: offset + 8)
        else { return .damage("ends within the description of an image") }
        offset += 9
        let own = Self.palette(flags, at: &offset)
        let data = offset
        guard let indexBits = bytes.byte(at: offset) else { return .damage("ends before the pixels of an image") }
        offset += 1
        let isWhole = bytes.skipDataBlocks(at: &offset)
        guard width > 0, height > 0 else { return .damage("an image of \(width) × \(height) pixels") }
        guard let palette = own ?? globalPalette else { return .damage("an image without a palette") }
        // Browsers accept 0, which the standard doesn't allow.
        guard (0...8).contains(indexBits) else { return .damage("\(indexBits) bits for an index") }
        try limits.check(PixelSize(width: Int(width), height: Int(height)))
        try limits.check(frames: frames.count + 1)
        let control = control ?? Control()
        let frame = GIFFrame(
            left: left, top: top, width: width, height: height, delay: control.delay, disposal: control.disposal,
            isInterlaced: flags & 0x40 != 0, transparentIndex: control.transparentIndex,
            paletteBits: palette.bits, paletteOffset: palette.offset, dataOffset: data)
        self.control = nil
        guard isWhole else {
            cutFrame = frame
            return .damage("ends within the pixels of an image")
        }
        frames.append(frame)
        return .next
    }

    /// The palette that `flags` describes; moves `offset` past it.
    private static func palette(_ flags: UInt8, at offset: inout Int) -> (offset: Int, bits: UInt8)? {
        guard flags & 0x80 != 0 else { return nil }
        let bits = (flags & 7) + 1
        defer { offset += 3 << Int(bits) }
        return (offset, bits)
    }
}

extension Span<UInt8> {
    fileprivate func little(at offset: Int) -> UInt16? { littleWord(at: offset).map(UInt16.init) }

    /// Moves past blocks that each begin with their length, up to and including the empty block at the end. Returns
    /// false if the empty block is missing.
    fileprivate func skipDataBlocks(at offset: inout Int) -> Bool {
        while let length = byte(at: offset) {
            offset += 1 + Int(length)
            if length == 0 { return true }
        }
        return false
    }
}
#endif
