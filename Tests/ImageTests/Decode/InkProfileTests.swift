#if os(Linux) && JPEG && ColorProfiles
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// CMYK JPEGs whose profile says which colors the inks have.
struct InkProfileTests {
    /// A profile (ICC.1, version 2) in which cyan alone is a pink, no ink is white, and all else is black.
    private static let pinkCyan: Data = {
        let identity = (0...255).map { UInt8($0) }
        let matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap { PNGFixture.long($0 << 16) }
        // L* of 60, a* of 50 and b* of -30, for cyan, which is the eighth of the sixteen corners.
        let corners = (0..<16).flatMap { corner -> [UInt8] in
            corner == 0 ? [255, 128, 128] : corner == 8 ? [153, 178, 98] : [0, 128, 128]
        }
        var table: [UInt8] = Array("mft1".utf8) + [0, 0, 0, 0, 4, 3, 2, 0]
        table += matrix
        for _ in 0..<4 { table += identity }
        table += corners
        for _ in 0..<3 { table += identity }
        let white = Array("XYZ ".utf8) + [0, 0, 0, 0] + [63_190, 65_536, 54_061].flatMap { PNGFixture.long($0) }
        let start = 128 + 4 + 2 * 12
        var tags = PNGFixture.long(2)
        tags += Array("A2B0".utf8) + PNGFixture.long(start) + PNGFixture.long(table.count)
        tags += Array("wtpt".utf8) + PNGFixture.long(start + table.count) + PNGFixture.long(white.count)
        var header = PNGFixture.long(start + table.count + white.count) + [0, 0, 0, 0, 2, 0x40, 0, 0]
        header += Array("prtrCMYKLab ".utf8) + [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
        header += [UInt8](repeating: 0, count: 28) + [63_190, 65_536, 54_061].flatMap { PNGFixture.long($0) }
        return Data(header + [UInt8](repeating: 0, count: 128 - header.count) + tags + table + white)
    }()

    private static func image(
        _ fixture: InkJPEGFixture, profile: Data, _ request: DecodeRequest = DecodeRequest()
    ) throws -> DecodedImage {
        let segment = JPEGFixture.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + Array(profile))
        return try ImageDecoders.builtIn.decode(
            Data(fixture.data.prefix(2) + segment + fixture.data.dropFirst(2)), request)
    }

    /// Inks are stored inverted.
    private static let cyan = [0, 255, 255, 255]

    private static func isNear(_ pixel: SIMD4<UInt8>, _ expected: SIMD4<UInt8>) -> Bool {
        (0..<4).allSatisfy { abs(Int(pixel[$0]) - Int(expected[$0])) <= 3 }
    }

    @Test(arguments: [true, false], [true, false])
    func inks_areConvertedByTheirProfile(hasAdobeMarker: Bool, hasScanPerInk: Bool) throws {
        var fixture = InkJPEGFixture(values: Self.cyan, hasAdobeMarker: hasAdobeMarker, hasScanPerInk: hasScanPerInk)
        let image = try Self.image(fixture, profile: Self.pinkCyan)
        #expect(Self.isNear(image.bitmap[4, 4], [209, 107, 199, 255]))
        // The colors are sRGB now.
        #expect(image.profile == nil && image.isOpaque)
        fixture.values = [255, 255, 255, 255]
        #expect(Self.isNear(try Self.image(fixture, profile: Self.pinkCyan).bitmap[0, 0], [255, 255, 255, 255]))
    }

    @Test func inksOfASmallerImage_areConverted() throws {
        var request = DecodeRequest()
        request.target = DecodeTarget(PixelSize(width: 2, height: 2))
        let image = try Self.image(InkJPEGFixture(values: Self.cyan), profile: Self.pinkCyan, request)
        #expect(image.size == PixelSize(width: 2, height: 2))
        #expect(Self.isNear(image.bitmap[1, 1], [209, 107, 199, 255]))
    }

    @Test func damagedProfile_leavesArithmetic() throws {
        let fixture = InkJPEGFixture(values: Self.cyan)
        let plain = try ImageDecoders.builtIn.decode(fixture.data)
        for profile in [Self.pinkCyan.prefix(400), Self.pinkCyan.prefix(130), Data(repeating: 7, count: 200)] {
            let image = try Self.image(fixture, profile: Data(profile))
            #expect(image.bitmap == plain.bitmap && image.profile == nil)
        }
    }
}
#endif
