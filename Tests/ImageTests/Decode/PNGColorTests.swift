#if os(Linux) && PNG && ColorProfiles
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// The colors that the chunks of a PNG describe, with and without a profile.
struct PNGColorTests {
    typealias Chunk = (type: String, content: [UInt8])

    private static let color: [UInt8] = [200, 120, 40]
    /// A profile with red and green swapped, so that it can't be mistaken for another.
    private static let swapped = ICCFixture(colors: [ICCFixture.green, ICCFixture.red, ICCFixture.blue]).data
    private static let profile: Chunk = ("iCCP", Array("name\0\0".utf8) + PNGFixture.zlib(Array(swapped)))
    private static let linear: Chunk = ("gAMA", PNGFixture.long(100_000))
    private static let usualGamma: Chunk = ("gAMA", PNGFixture.long(45_455))
    private static let p3 = chromaticities([31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000])
    private static let sRGBPrimaries = chromaticities([31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000])
    private static let sRGB: Chunk = ("sRGB", [0])
    private static let codedP3: Chunk = ("cICP", [12, 13, 0, 1])

    private static func chromaticities(_ values: [Int]) -> Chunk { ("cHRM", values.flatMap(PNGFixture.long)) }

    private static func file(_ chunks: [Chunk], type: Int = 2, _ pixel: [UInt8] = color) -> Data {
        PNGFixture(width: 1, height: 1, colorType: type, rows: [0] + pixel, chunksBeforePixels: chunks).data
    }

    private func profile(_ chunks: [Chunk], type: Int = 2, _ pixel: [UInt8] = color) throws -> Data? {
        try ImageDecoders.builtIn.decode(Self.file(chunks, type: type, pixel)).profile
    }

    /// The pixel in sRGB.
    private func converted(_ chunks: [Chunk], type: Int = 2, _ pixel: [UInt8] = color) throws -> [UInt8] {
        var request = DecodeRequest()
        request.convertsToSRGB = true
        let image = try ImageDecoders.builtIn.decode(Self.file(chunks, type: type, pixel), request)
        let pixel = image.bitmap[0, 0]
        return [pixel.x, pixel.y, pixel.z]
    }

    // MARK: Arithmetic of colors, apart from any library

    private static func encoded(_ light: Double) -> UInt8 {
        let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((min(1, max(0, value)) * 255).rounded())
    }

    /// From P3's primaries to those of sRGB, in light.
    private static func mixed(_ p3: [Double]) -> [UInt8] {
        let matrix = [
            [1.2249, -0.2247, 0], [-0.0420, 1.0419, 0], [-0.0196, -0.0786, 1.0979],
        ]
        return matrix.map { row in encoded(zip(row, p3).map { $0 * $1 }.reduce(0, +)) }
    }

    private static func decoded(_ value: UInt8) -> Double {
        let value = Double(value) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func isNear(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    // MARK: Tests

    @Test func gamma_isACurve() throws {
        let expected = Self.color.map { Self.encoded(Double($0) / 255) }
        #expect(Self.isNear(try converted([Self.linear]), expected))
        let darker = Self.color.map { Self.encoded(pow(Double($0) / 255, 1.8)) }
        #expect(Self.isNear(try converted([("gAMA", PNGFixture.long(55_556))]), darker))
    }

    @Test func gammaOfGray_isACurve() throws {
        let pixel = try converted([Self.linear], type: 0, [120])
        #expect(Self.isNear(pixel, Array(repeating: Self.encoded(120.0 / 255), count: 3)))
    }

    @Test func usualValues_areSRGB() throws {
        for chunks in [
            [], [Self.usualGamma], [Self.usualGamma, Self.sRGBPrimaries], [Self.sRGB], [("cICP", [1, 13, 0, 1])],
        ] {
            #expect(try profile(chunks) == nil, "\(chunks)")
        }
    }

    @Test func primaries_areConverted() throws {
        let light = Self.color.map { pow(Double($0) / 255, 100_000 / 45_455) }
        #expect(Self.isNear(try converted([Self.usualGamma, Self.p3]), Self.mixed(light)))
        let withoutGamma = Self.color.map(Self.decoded)
        #expect(Self.isNear(try converted([Self.p3]), Self.mixed(withoutGamma)))
    }

    @Test func codedColors_takePrecedence() throws {
        let expected = Self.mixed(Self.color.map(Self.decoded))
        #expect(Self.isNear(try converted([Self.codedP3]), expected))
        for other in [Self.profile, Self.sRGB, Self.linear] {
            #expect(Self.isNear(try converted([other, Self.codedP3]), expected), "\(other.type)")
        }
        #expect(try profile([Self.profile, ("cICP", [1, 13, 0, 1])]) == nil)
    }

    /// Curves of H.273, table 3, with the primaries of sRGB.
    @Test(arguments: [(4, 2.2), (5, 2.8), (8, 1.0)])
    func codedPowers_areCurves(code: UInt8, power: Double) throws {
        let expected = Self.color.map { Self.encoded(pow(Double($0) / 255, power)) }
        #expect(Self.isNear(try converted([("cICP", [1, code, 0, 1])]), expected))
    }

    @Test(arguments: [1, 6, 14, 15] as [UInt8]) func codedVideo_isTheInverseOfTheCamerasCurve(code: UInt8) throws {
        let light = Self.color.map { value -> Double in
            let value = Double(value) / 255
            return value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45)
        }
        #expect(Self.isNear(try converted([("cICP", [1, code, 0, 1])]), light.map(Self.encoded)))
    }

    /// Primaries of H.273, table 2. White is white; the red of a wider space is out of reach, as that of sRGB is not.
    @Test(arguments: [(4, false), (5, false), (6, false), (7, false), (9, true), (11, true), (12, true)])
    func codedPrimaries_keepWhite(code: UInt8, isWide: Bool) throws {
        #expect(Self.isNear(try converted([("cICP", [code, 13, 0, 1])], [255, 255, 255]), [255, 255, 255]))
        let red = try converted([("cICP", [code, 13, 0, 1])], [255, 0, 0])
        if isWide { #expect(red == [255, 0, 0]) }
        #expect(red[0] > 240 && red[1] < 90 && red[2] < 60)
    }

    @Test func profile_takesPrecedenceOverGamma() throws {
        #expect(try profile([Self.profile, Self.linear, Self.p3]) == Self.swapped)
        #expect(try profile([Self.profile, Self.sRGB]) == Self.swapped)
    }

    @Test func sRGB_takesPrecedenceOverGamma() throws {
        #expect(try profile([Self.sRGB, Self.linear, Self.p3]) == nil)
        #expect(try profile([Self.linear, Self.sRGB]) == nil)
    }

    @Test func uselessProfile_leavesGamma() throws {
        let damaged: Chunk = ("iCCP", Array("name\0\0".utf8) + [1, 2, 3])
        let expected = Self.color.map { Self.encoded(Double($0) / 255) }
        #expect(Self.isNear(try converted([damaged, Self.linear]), expected))
    }

    /// Luminance instead of colors, a part of the values, and numbers without a meaning.
    @Test(arguments: [
        [12, 13, 1, 1], [12, 13, 0, 0], [2, 2, 0, 1], [200, 13, 0, 1],
    ])
    func unknownCodes_areIgnored(_ codes: [UInt8]) throws {
        #expect(try profile([Self.profile, ("cICP", codes)]) == Self.swapped)
        #expect(try profile([("cICP", codes)]) == nil)
    }

    @Test(
        arguments: [
            [("gAMA", PNGFixture.long(0))], [("gAMA", PNGFixture.long(Int(UInt32.max)))], [("gAMA", [1, 2])],
            [chromaticities(Array(repeating: 0, count: 8))], [chromaticities(Array(repeating: 33_333, count: 8))],
            [chromaticities([99_999, 1, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000])],
            [chromaticities(Array(repeating: Int(UInt32.max), count: 8))], [("cHRM", [1])], [("sRGB", [])],
            [("cICP", [12])],
        ] as [[Chunk]])
    func impossibleColors_areIgnored(_ chunks: [Chunk]) throws {
        #expect(try profile(chunks) == nil)
        #expect(try converted(chunks) == Self.color)
    }

    @Test func colorsAfterPalette_areIgnored() throws {
        let palette: Chunk = ("PLTE", Self.color)
        #expect(try profile([Self.codedP3, palette], type: 3, [0]) != nil)
        #expect(try profile([palette, Self.codedP3, Self.linear], type: 3, [0]) == nil)
    }

    @Test func primariesOfGray_dontMatter() throws {
        #expect(try profile([Self.usualGamma, Self.p3], type: 0, [120]) == nil)
    }

    @Test func colorsAfterPixels_areIgnored() throws {
        var file = PNGFixture(width: 1, height: 1, rows: [0] + Self.color)
        file.chunksAfterPixels = [Self.codedP3, Self.linear]
        #expect(try ImageDecoders.builtIn.decode(file.data).profile == nil)
    }

    @Test func sameColors_haveSameProfile() throws {
        let one = try #require(try profile([Self.codedP3]))
        #expect(try profile([Self.codedP3], [1, 2, 3]) == one)
        #expect(try profile([Self.usualGamma, Self.p3]) != one)
        // Not the time at which it was made.
        #expect(Array(one[24..<36]) == [7, 208, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    }

    /// An encoder writes the colors as a profile, which another decoder reads.
    @Test func colors_areKeptByEncoders() throws {
        let image = try ImageDecoders.builtIn.decode(Self.file([Self.codedP3]))
        for encoder in [PNGEncoder(), WebPEncoder(.lossless)] as [any ImageEncoding] {
            let read = try ImageDecoders.builtIn.decode(encoder.encode(image))
            #expect(read.profile == image.profile && read.bitmap == image.bitmap)
        }
    }
}
#endif
