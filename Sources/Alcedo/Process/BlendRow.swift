/// Blends premultiplied pixels, a row at a time.
///
/// The formulas are those for premultiplied colors, whose results are multiples of 1/255² and are rounded once. All
/// but three need no more than 16 bits, in loops that the compiler vectorizes.
struct BlendRow {
    /// The pixels above, the pixels beneath, and the memory to write, which is neither of them.
    let source: UnsafePointer<UInt32>
    let destination: UnsafePointer<UInt32>
    let target: UnsafeMutablePointer<UInt32>
    let count: Int

    /// Writes the row.
    func write(_ mode: BlendMode) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 2 * count) { scratch in
            guard let alphas = scratch.baseAddress else { return }
            // Repeats the alpha of each pixel four times.
            for index in 0..<count {
                alphas[index] = (UInt32(littleEndian: source[index]) >> 24) &* 0x0101_0101
            }
            for index in 0..<count {
                alphas[count + index] = (UInt32(littleEndian: destination[index]) >> 24) &* 0x0101_0101
            }
            BlendLoop(
                source: UnsafeRawPointer(source).assumingMemoryBound(to: UInt8.self),
                destination: UnsafeRawPointer(destination).assumingMemoryBound(to: UInt8.self),
                sourceAlpha: UnsafeRawPointer(alphas).assumingMemoryBound(to: UInt8.self),
                destinationAlpha: UnsafeRawPointer(alphas + count).assumingMemoryBound(to: UInt8.self),
                target: UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt8.self), count: 4 * count
            ).run(mode)
        }
        if mode == .difference || mode == .exclusion { fixAlpha() }
    }

    /// Replaces the alpha that the formula for colors has computed.
    private func fixAlpha() {
        for index in 0..<count {
            let (s, d) = (UInt32(littleEndian: source[index]) >> 24, UInt32(littleEndian: destination[index]) >> 24)
            let sum = s &* 255 &+ d &* 255 &- s &* d &+ 128
            let alpha = (sum &+ sum >> 8) >> 8
            target[index] = (UInt32(littleEndian: target[index]) & 0xFF_FFFF | alpha << 24).littleEndian
        }
    }
}

/// The formulas, for each channel of each pixel.
///
/// They aren't passed on as closures within closures, which the compiler wouldn't inline.
private struct BlendLoop {
    let source: UnsafePointer<UInt8>
    let destination: UnsafePointer<UInt8>
    let sourceAlpha: UnsafePointer<UInt8>
    let destinationAlpha: UnsafePointer<UInt8>
    let target: UnsafeMutablePointer<UInt8>
    let count: Int

    func run(_ mode: BlendMode) {
        switch mode {
        case .normal: each { s, d, sa, _ in s &* 255 &+ d &* (255 &- sa) }
        case .multiply: blend { s, d, _, _ in s &* d }
        case .screen: each { s, d, _, _ in s &* 255 &+ d &* 255 &- s &* d }
        case .overlay: blend { s, d, sa, da in Self.hardLight(d, s, da, sa) }
        case .darken: blend { s, d, sa, da in min(s &* da, d &* sa) }
        case .lighten: blend { s, d, sa, da in max(s &* da, d &* sa) }
        case .colorDodge: blendFloats(Self.colorDodge)
        case .colorBurn: blendFloats(Self.colorBurn)
        case .hardLight: blend { s, d, sa, da in Self.hardLight(s, d, sa, da) }
        case .softLight: blendFloats(Self.softLight)
        case .difference: each { s, d, sa, da in s &* 255 &+ d &* 255 &- 2 &* min(s &* da, d &* sa) }
        case .exclusion: each { s, d, _, _ in s &* 255 &+ d &* 255 &- 2 &* s &* d }
        default: keepParts(mode)
        }
    }

    /// Applies the Porter-Duff operators and the sum.
    private func keepParts(_ mode: BlendMode) {
        switch mode {
        case .sourceIn: each { s, _, _, da in s &* da }
        case .sourceOut: each { s, _, _, da in s &* (255 &- da) }
        case .sourceAtop: each { s, d, sa, da in s &* da &+ d &* (255 &- sa) }
        case .destinationOver: each { s, d, _, da in d &* 255 &+ s &* (255 &- da) }
        case .destinationIn: each { _, d, sa, _ in d &* sa }
        case .destinationOut: each { _, d, sa, _ in d &* (255 &- sa) }
        case .destinationAtop: each { s, d, sa, da in d &* sa &+ s &* (255 &- da) }
        case .lighter: each { s, d, _, _ in min(s &+ d, 255) &* 255 }
        default: each { s, d, sa, da in s &* (255 &- da) &+ d &* (255 &- sa) }
        }
    }

    /// A formula for a channel's source and destination and the alpha of both. Its result is 255 times as large.
    private typealias Formula = (UInt16, UInt16, UInt16, UInt16) -> UInt16

    /// Adds the parts of source and destination that are visible where the other isn't.
    @inline(__always)
    private func blend(_ formula: Formula) {
        each { s, d, sa, da in s &* (255 &- da) &+ d &* (255 &- sa) &+ formula(s, d, sa, da) }
    }

    /// Differences may wrap around before they are added, so all operations use wrapping arithmetic.
    @inline(__always)
    private static func hardLight(_ s: UInt16, _ d: UInt16, _ sa: UInt16, _ da: UInt16) -> UInt16 {
        2 &* s <= sa ? 2 &* s &* d : sa &* da &- 2 &* (da &- d) &* (sa &- s)
    }

    @inline(__always)
    private func each(_ formula: Formula) {
        for index in 0..<count {
            let sum = formula(
                UInt16(source[index]), UInt16(destination[index]), UInt16(sourceAlpha[index]),
                UInt16(destinationAlpha[index]))
            target[index] = UInt8(truncatingIfNeeded: sum.dividedBy255)
        }
    }

    private typealias FloatFormula = (Float, Float, Float, Float) -> Float

    /// Like ``blend(_:)``, but with floating-point numbers from 0 to 255.
    @inline(__always)
    private func blendFloats(_ formula: FloatFormula) {
        for index in 0..<count {
            let (s, d) = (Float(source[index]), Float(destination[index]))
            let (sa, da) = (Float(sourceAlpha[index]), Float(destinationAlpha[index]))
            let alpha = sa * 255 + da * 255 - sa * da
            let sum = s * (255 - da) + d * (255 - sa) + formula(s, d, sa, da)
            // Rounding errors mustn't lift a color above its alpha.
            target[index] = UInt8(truncatingIfNeeded: (sum.clamped(to: alpha) * (1 / 255)).roundedBits)
        }
    }

    /// Divides by 0 where the source is as light as it can be. The result, NaN or infinity, isn't used.
    @inline(__always)
    private static func colorDodge(_ s: Float, _ d: Float, _ sa: Float, _ da: Float) -> Float {
        let most = sa * da
        let dodged = d * sa * sa / (sa - s)
        let bounded = dodged < most ? dodged : most
        return d > 0 ? bounded : 0
    }

    /// Divides by 0 where the source is black. The result, NaN or infinity, isn't used.
    @inline(__always)
    private static func colorBurn(_ s: Float, _ d: Float, _ sa: Float, _ da: Float) -> Float {
        let most = sa * da
        let burnt = (da - d) * sa * sa / s
        let bounded = burnt < most ? most - burnt : 0
        return d < da ? bounded : most
    }

    @inline(__always)
    private static func softLight(_ s: Float, _ d: Float, _ sa: Float, _ da: Float) -> Float {
        let color = d / (da > 0 ? da : 1)
        let curve = ((16 * color - 12) * color + 4) * color
        let root = color.squareRoot()
        let lightened = (color > 0.25 ? root : curve) - color
        let change = 2 * s <= sa ? color * (1 - color) : lightened
        return da * (sa * color + (2 * s - sa) * change)
    }
}

extension UInt16 {
    /// The quotient, rounded to nearest; exact up to 255².
    @inline(__always)
    var dividedBy255: UInt16 {
        let sum = self &+ 128
        return (sum &+ sum &>> 8) &>> 8
    }
}
