public import Foundation

/// ThumbHash, by Evan Wallace: an image in about 25 bytes, as the coefficients of a cosine transform (described at
/// https://evanw.github.io/thumbhash/).
extension DecodedImage {
    /// A blurred version of the image in 17 to 25 bytes, to be shown elsewhere while the image is being loaded.
    ///
    /// Uses the first frame of an animation. The colors are those of sRGB; on Linux, other colors are converted only
    /// with the trait `ColorProfiles`. Takes a few milliseconds per megapixel.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` if there is no memory to scale the image.
    public func thumbHash() throws(ImageLoaderError) -> Data {
        let room = PixelSize(width: ThumbHash.longestSide, height: ThumbHash.longestSide)
        var limits = DecodeLimits()
        // The image is in memory already, and becomes smaller.
        (limits.side, limits.pixels, limits.bitmapBytes) = (.max, .max, .max)
        let small = try bitmap.scaled(to: size.fitting(within: room), limits: limits)
        let conversion = ColorConversion(from: profile, to: nil)
        return Data(ThumbHash.bytes(of: try conversion?.apply(to: small, limits: limits) ?? small))
    }

    /// Creates a blurred image from the result of ``thumbHash()``.
    ///
    /// Its longer side has 32 pixels, and its aspect ratio is about that of the original.
    ///
    /// - Throws: ``ImageLoaderError/corruptImage(_:reason:)`` if the bytes aren't a hash.
    public init(thumbHash: Data) throws(ImageLoaderError) {
        self.init(bitmap: try ThumbHash.bitmap(from: Array(thumbHash)))
    }

    /// The mean color of all pixels, weighted by their alpha, and the mean alpha. Uses the first frame of an animation.
    ///
    /// Colors are averaged as they are stored, and the mean is converted to sRGB if the image has a profile. Reads all
    /// pixels each time.
    public var averageColor: PixelColor {
        let (sum, count) = (bitmap.sumOfPixels, bitmap.size.width * bitmap.size.height)
        let alpha = Double(sum.w)
        guard alpha > 0 else { return .clear }
        func mean(_ colors: UInt64) -> UInt8 { UInt8(min(255, (Double(colors) / alpha * 255).rounded())) }
        let color = PixelColor(
            red: mean(sum.x), green: mean(sum.y), blue: mean(sum.z), alpha: UInt8((alpha / Double(count)).rounded()))
        return ColorConversion(from: profile, to: nil)?.apply(to: color) ?? color
    }
}

extension Bitmap {
    /// The sums of all premultiplied channels.
    fileprivate var sumOfPixels: SIMD4<UInt64> {
        withUnsafeBytes { bytes in
            var all = SIMD4<UInt64>.zero
            // Sums of a row fit 32 bits.
            for row in stride(from: 0, to: bytes.count, by: bytesPerRow) {
                var sum = SIMD4<UInt32>.zero
                for offset in stride(from: row, to: row + bytesPerRow, by: 4) {
                    let pixel = bytes.load(fromByteOffset: offset, as: SIMD4<UInt8>.self)
                    sum &+= SIMD4<UInt32>(truncatingIfNeeded: pixel)
                }
                all &+= SIMD4<UInt64>(truncatingIfNeeded: sum)
            }
            return all
        }
    }
}

/// The format, with the conversions from pixels to bytes and back.
private enum ThumbHash {
    static let longestSide = 100
    /// The longer side of an image made from a hash.
    private static let madeSide = 32.0

    /// The numbers of terms across and down.
    typealias Terms = (across: Int, down: Int)

    private static let colorTerms: Terms = (3, 3)
    private static let alphaTerms: Terms = (5, 5)

    static func bytes(of bitmap: Bitmap) -> [UInt8] {
        let size = bitmap.size
        let planes = ThumbHashPlanes(of: bitmap)
        let (most, longer) = (Double(planes.hasAlpha ? 5 : 7), Double(max(size.width, size.height)))
        func terms(_ side: Int) -> Int { max(1, Int((most * Double(side) / longer).rounded())) }
        let count: Terms = (terms(size.width), terms(size.height))
        let isLandscape = size.width > size.height
        let light = CosineTerms(of: planes.light, size, (max(3, count.across), max(3, count.down)))
        let yellow = CosineTerms(of: planes.yellow, size, colorTerms)
        let red = CosineTerms(of: planes.red, size, colorTerms)
        let alpha = planes.hasAlpha ? CosineTerms(of: planes.alpha, size, alphaTerms) : nil

        var bits = BitWriter()
        bits.add(light.mean, most: 63, bits: 6)
        bits.add((yellow.mean + 1) / 2, most: 63, bits: 6)
        bits.add((red.mean + 1) / 2, most: 63, bits: 6)
        bits.add(light.scale, most: 31, bits: 5)
        bits.add(planes.hasAlpha ? 1 : 0, most: 1, bits: 1)
        bits.add(Double(isLandscape ? count.down : count.across) / 7, most: 7, bits: 3)
        bits.add(yellow.scale, most: 63, bits: 6)
        bits.add(red.scale, most: 63, bits: 6)
        bits.add(isLandscape ? 1 : 0, most: 1, bits: 1)
        if let alpha {
            bits.add(alpha.mean, most: 15, bits: 4)
            bits.add(alpha.scale, most: 15, bits: 4)
        }
        for channel in [light, yellow, red] + (alpha.map { [$0] } ?? []) {
            for value in channel.values { bits.add(value, most: 15, bits: 4) }
        }
        return bits.bytes
    }

    static func bitmap(from bytes: [UInt8]) throws(ImageLoaderError) -> Bitmap {
        var bits = BitReader(bytes)
        guard bytes.count >= 5 else { throw corrupt("\(bytes.count) bytes, and the header alone has 5") }
        let (light, yellow, red) = (bits.next(6) / 63, bits.next(6) / 31.5 - 1, bits.next(6) / 31.5 - 1)
        let lightScale = bits.next(5) / 31
        let hasAlpha = bits.next(1) == 1
        let count = Int(bits.next(3))
        let (yellowScale, redScale) = (bits.next(6) / 63, bits.next(6) / 63)
        let isLandscape = bits.next(1) == 1
        guard count > 0 else { throw corrupt("the number of terms is 0") }
        let most = hasAlpha ? 5 : 7
        let terms: Terms = isLandscape ? (most, count) : (count, most)
        let lightTerms: Terms = (max(3, terms.across), max(3, terms.down))
        let values =
            CosineTerms.count(lightTerms) + 2 * CosineTerms.count(colorTerms)
            + (hasAlpha ? CosineTerms.count(alphaTerms) : 0)
        let length = 5 + (hasAlpha ? 1 : 0) + (values + 1) / 2
        guard bytes.count == length else { throw corrupt("\(bytes.count) bytes instead of \(length)") }
        let (alpha, alphaScale) = hasAlpha ? (bits.next(4) / 15, bits.next(4) / 15) : (1, 0)
        // Rounding makes colors paler; these factors make up for it.
        let planes = [
            CosineTerms(light, lightScale, lightTerms, &bits),
            CosineTerms(yellow, yellowScale * 1.25, colorTerms, &bits),
            CosineTerms(red, redScale * 1.25, colorTerms, &bits),
            hasAlpha ? CosineTerms(alpha, alphaScale, alphaTerms, &bits) : CosineTerms(mean: 1),
        ]
        return try bitmap(of: planes, size(Double(terms.across) / Double(terms.down)))
    }

    private static func corrupt(_ reason: String) -> ImageLoaderError {
        .corruptImage(ImageFormat(rawValue: "thumbhash"), reason: reason)
    }

    private static func size(_ ratio: Double) -> PixelSize {
        PixelSize(
            width: Int((ratio > 1 ? madeSide : madeSide * ratio).rounded()),
            height: Int((ratio > 1 ? madeSide / ratio : madeSide).rounded()))
    }

    private static func bitmap(of planes: [CosineTerms], _ size: PixelSize) throws(ImageLoaderError) -> Bitmap {
        let values = planes.map { $0.plane(size) }
        var builder = try BitmapBuilder(size: size)
        builder.withUnsafeMutableBytes { bytes in
            for index in 0..<size.width * size.height {
                let (light, yellow, redness) = (values[0][index], values[1][index], values[2][index])
                let blue = light - 2 / 3 * yellow
                let red = (3 * light - blue + redness) / 2
                var color = SIMD4(red, red - redness, blue, values[3][index])
                color.clamp(lowerBound: .zero, upperBound: .one)
                let pixel = SIMD4<UInt8>((color * 255).rounded(.toNearestOrAwayFromZero))
                bytes.storeBytes(of: pixel, toByteOffset: 4 * index, as: SIMD4<UInt8>.self)
            }
            bytes.premultiply()
        }
        return builder.freeze()
    }
}

/// The channels of an image, from 0 to 1 or -1 to 1.
private struct ThumbHashPlanes {
    var light: [Double] = []
    var yellow: [Double] = []
    var red: [Double] = []
    var alpha: [Double] = []
    let hasAlpha: Bool

    /// The image's mean color is put beneath transparent parts.
    init(of bitmap: Bitmap) {
        let sum = SIMD4<Double>(bitmap.sumOfPixels)
        let mean = sum.w > 0 ? sum / sum.w : .zero
        hasAlpha = sum.w < Double(255 * bitmap.size.width * bitmap.size.height)
        for y in 0..<bitmap.size.height {
            for x in 0..<bitmap.size.width {
                let pixel = SIMD4<Double>(bitmap[x, y]) / 255
                let color = mean * (1 - pixel.w) + pixel
                light.append((color.x + color.y + color.z) / 3)
                yellow.append((color.x + color.y) / 2 - color.z)
                red.append(color.x - color.y)
                alpha.append(pixel.w)
            }
        }
    }
}

/// The kept half of the terms of a channel's cosine transform.
private struct CosineTerms {
    let mean: Double
    /// The greatest magnitude of the terms other than the mean.
    private(set) var scale = 0.0
    /// The terms other than the mean, mapped from -scale...scale to 0...1.
    private(set) var values: [Double] = []
    private let terms: ThumbHash.Terms

    init(mean: Double) { (self.mean, terms) = (mean, (1, 1)) }

    /// The indices of the terms that are kept, apart from the mean.
    private static func indices(_ terms: ThumbHash.Terms) -> [(across: Int, down: Int)] {
        (0..<terms.down).flatMap { down in
            (0..<terms.across).filter { across in
                across + down > 0 && across * terms.down < terms.across * (terms.down - down)
            }.map { ($0, down) }
        }
    }

    static func count(_ terms: ThumbHash.Terms) -> Int { indices(terms).count }

    /// A row of cosines for each term.
    private static func cosines(_ terms: Int, _ length: Int) -> [[Double]] {
        (0..<terms).map { term in
            (0..<length).map { cos(.pi / Double(length) * Double(term) * (Double($0) + 0.5)) }
        }
    }

    /// Transforms a plane.
    init(of plane: [Double], _ size: PixelSize, _ terms: ThumbHash.Terms) {
        let (across, down) = (Self.cosines(terms.across, size.width), Self.cosines(terms.down, size.height))
        // Rows first: a number for each row and term across.
        let rows = (0..<size.height).map { y in
            across.map { cosines in
                (0..<size.width).reduce(0) { $0 + plane[y * size.width + $1] * cosines[$1] }
            }
        }
        func term(_ x: Int, _ y: Int) -> Double {
            (0..<size.height).reduce(0) { $0 + rows[$1][x] * down[y][$1] } / Double(size.width * size.height)
        }
        self.terms = terms
        mean = term(0, 0)
        values = Self.indices(terms).map { term($0.across, $0.down) }
        scale = values.reduce(0) { max($0, abs($1)) }
        if scale > 0 { values = values.map { [scale] in 0.5 + 0.5 / scale * $0 } }
    }

    /// Reads the terms.
    init(_ mean: Double, _ scale: Double, _ terms: ThumbHash.Terms, _ bits: inout BitReader) {
        (self.mean, self.scale, self.terms) = (mean, scale, terms)
        values = (0..<Self.count(terms)).map { _ in bits.next(4) / 15 }
    }

    /// The plane that the terms describe.
    func plane(_ size: PixelSize) -> [Double] {
        let (across, down) = (Self.cosines(terms.across, size.width), Self.cosines(terms.down, size.height))
        var plane = Array(repeating: mean, count: size.width * size.height)
        for (value, index) in zip(values, Self.indices(terms)) {
            // The format specifies the factor 2, although the inverse transform counts terms both across and down four
            // times.
            let factor = (value * 2 - 1) * scale * 2
            for y in 0..<size.height {
                for x in 0..<size.width {
                    plane[y * size.width + x] += factor * across[index.across][x] * down[index.down][y]
                }
            }
        }
        return plane
    }
}

/// Writes numbers, the lowest bits first.
private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var free = 0

    /// Adds a number from 0 to 1, scaled to 0 to `most`.
    mutating func add(_ value: Double, most: Double, bits: Int) {
        let number = UInt8(min(most, max(0, (value * most).rounded())))
        for bit in 0..<bits {
            if free == 0 { bytes.append(0) }
            if free == 0 { free = 8 }
            bytes[bytes.count - 1] |= (number >> bit & 1) << (8 - free)
            free -= 1
        }
    }
}

/// Reads the output of a ``BitWriter``. After the end, all bits are 0.
private struct BitReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next(_ bits: Int) -> Double {
        var number = 0
        for bit in 0..<bits where index + bit < bytes.count * 8 {
            number |= Int(bytes[(index + bit) / 8] >> ((index + bit) % 8) & 1) << bit
        }
        index += bits
        return Double(number)
    }
}
