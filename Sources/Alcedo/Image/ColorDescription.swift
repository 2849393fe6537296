/// The meaning of a file's color values, described without an ICC profile.
struct ColorDescription: Hashable, Sendable {
    /// The chromaticities of white and of the primaries (CIE 1931).
    struct Primaries: Hashable, Sendable {
        let white: Chromaticity
        let red: Chromaticity
        let green: Chromaticity
        let blue: Chromaticity
    }

    struct Chromaticity: Hashable, Sendable {
        let x: Double
        let y: Double

        init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    }

    /// The function from a number between 0 and 1 to light.
    enum TransferFunction: Hashable, Sendable {
        case sRGB
        /// The inverse of the camera's curve in BT.601, BT.709 and BT.2020.
        case video
        /// The number to this power; 1 is linear.
        case power(Double)
        /// The function of an HDR coding, which is mapped to sRGB rather than described by a profile.
        case hdr(ToneMapping.Coding)
    }

    let primaries: Primaries
    let transfer: TransferFunction

    static let sRGB = ColorDescription(primaries: .bt709, transfer: .sRGB)

    /// - Parameter isGray: Whether only grays are described, for which the primaries don't matter.
    func isSRGB(isGray: Bool) -> Bool { isGray ? transfer == .sRGB : self == .sRGB }

    var isHDR: Bool { if case .hdr = transfer { true } else { false } }

    /// The mapping to the colors of sRGB; nil unless these are HDR.
    var toneMapping: ToneMapping? {
        if case .hdr(let coding) = transfer { ToneMapping(coding, primaries) } else { nil }
    }
}

extension ColorDescription.Primaries {
    private static let d65 = ColorDescription.Chromaticity(0.3127, 0.3290)

    static let bt709 = Self(white: d65, red: .init(0.64, 0.33), green: .init(0.30, 0.60), blue: .init(0.15, 0.06))

    /// Creates the primaries with a number of ITU-T H.273 (2021), table 2; nil for an unspecified, reserved or rare
    /// one.
    fileprivate init?(code: UInt8) {
        switch code {
        case 1: self = .bt709
        case 4:
            self.init(
                white: .init(0.310, 0.316), red: .init(0.67, 0.33), green: .init(0.21, 0.71), blue: .init(0.14, 0.08))
        case 5:
            self.init(white: Self.d65, red: .init(0.64, 0.33), green: .init(0.29, 0.60), blue: .init(0.15, 0.06))
        case 6, 7:
            self.init(
                white: Self.d65, red: .init(0.630, 0.340), green: .init(0.310, 0.595), blue: .init(0.155, 0.070))
        case 9:
            self.init(
                white: Self.d65, red: .init(0.708, 0.292), green: .init(0.170, 0.797), blue: .init(0.131, 0.046))
        case 11, 12:
            let white = code == 12 ? Self.d65 : .init(0.314, 0.351)
            self.init(
                white: white, red: .init(0.680, 0.320), green: .init(0.265, 0.690), blue: .init(0.150, 0.060))
        default: return nil
        }
    }
}

extension ColorDescription {
    /// Creates a description from the numbers of ITU-T H.273 (2021), tables 2 and 3, which PNG's cICP and the boxes of
    /// AVIF and HEIF contain.
    ///
    /// Nil for colors that aren't specified. HDR without primaries gets those of BT.2020.
    init?(primaries code: UInt8, transfer: UInt8) {
        var primaries = Primaries(code: code)
        switch transfer {
        case 1, 6, 14, 15: self.transfer = .video
        case 4: self.transfer = .power(2.2)
        case 5: self.transfer = .power(2.8)
        case 8: self.transfer = .power(1)
        case 13: self.transfer = .sRGB
        case 16, 18:
            self.transfer = .hdr(transfer == 16 ? .pq : .hlg)
            primaries = primaries ?? Primaries(code: 9)
        default: return nil
        }
        guard let primaries else { return nil }
        self.primaries = primaries
    }

    /// Creates a description from the chunks gAMA and cHRM of a PNG (third edition, sections 11.3.2.1 and 11.3.2.2), in
    /// 100,000ths.
    ///
    /// As in browsers, 1/2.2 without other primaries stands for sRGB, and a file without a gamma has the curve of sRGB.
    /// Nil for values that describe no colors.
    ///
    /// - Parameters:
    ///   - gamma: The power of the curve from light to numbers.
    ///   - chromaticities: x and y of white, red, green and blue.
    init?(gamma: Int?, chromaticities: [Int]?) {
        var primaries = Primaries.bt709
        if let values = chromaticities?.map({ Double($0) / 100_000 }) {
            let points = stride(from: 0, to: values.count - 1, by: 2).map { Chromaticity(values[$0], values[$0 + 1]) }
            guard points.count == 4, points.allSatisfy({ $0.y > 0 && $0.x + $0.y <= 1 }), points[0].y > 0.1 else {
                return nil
            }
            primaries = Primaries(white: points[0], red: points[1], green: points[2], blue: points[3])
            // The area for sRGB is 0.11. Primaries that lie almost on a line can't mix useful colors.
            guard primaries.area > 0.01 else { return nil }
            if primaries.isNear(.bt709) { primaries = .bt709 }
        }
        self.primaries = primaries
        guard let gamma else {
            transfer = .sRGB
            return
        }
        guard (10_000...1_000_000).contains(gamma) else { return nil }
        let isSRGB = primaries == .bt709 && abs(gamma - 45_455) <= 500
        transfer = isSRGB ? .sRGB : .power(100_000 / Double(gamma))
    }
}

extension ColorDescription.Primaries {
    /// The area of the triangle between the primaries.
    fileprivate var area: Double {
        abs((green.x - red.x) * (blue.y - red.y) - (blue.x - red.x) * (green.y - red.y)) / 2
    }

    /// Whether the chromaticities differ by no more than rounding.
    fileprivate func isNear(_ other: Self) -> Bool {
        let pairs = [(white, other.white), (red, other.red), (green, other.green), (blue, other.blue)]
        return pairs.allSatisfy { abs($0.x - $1.x) <= 0.001 && abs($0.y - $1.y) <= 0.001 }
    }
}
