#if os(Linux) && JPEG && PNG && WebP
import Alcedo
import Foundation
import Testing

@testable import TestFixtures

/// PNGs whose light is coded as PQ or HLG.
struct PNGHDRTests {
    /// The primaries of BT.2020, or nothing said of them, and a coding (H.273, tables 2 and 3).
    enum Coding: UInt8, CaseIterable {
        case pq = 16
        case hlg = 18

        /// The code of 203 cd/m², the white of SDR in HDR (BT.2408, table 1).
        var white: Double { self == .pq ? 0.5807 : 0.75 }
        /// The code of 1,000 cd/m².
        var peak: Double { self == .pq ? 0.7518 : 1 }

        func chunk(primaries: UInt8 = 9) -> (String, [UInt8]) { ("cICP", [primaries, rawValue, 0, 1]) }
    }

    private static func bytes(_ sample: Double) -> [UInt8] {
        let sample = UInt16((sample * 65_535).rounded())
        return [UInt8(sample >> 8), UInt8(sample & 255)]
    }

    /// One row of pixels with 16 bits per sample.
    private static func file(
        _ pixels: [[Double]], _ coding: Coding, primaries: UInt8 = 9, colorType: Int = 2
    ) -> Data {
        PNGFixture(
            width: pixels.count, height: 1, depth: 16, colorType: colorType,
            rows: [0] + pixels.flatMap { $0.flatMap(bytes) }, chunksBeforePixels: [coding.chunk(primaries: primaries)]
        ).data
    }

    private static func file(gray levels: [Double], _ coding: Coding) -> Data {
        file(levels.map { [$0, $0, $0] }, coding)
    }

    private func row(_ file: Data, _ request: DecodeRequest = DecodeRequest()) throws -> [SIMD4<UInt8>] {
        let bitmap = try ImageDecoders.builtIn.decode(file, request).bitmap
        return (0..<bitmap.size.width).map { bitmap[$0, 0] }
    }

    @Test(arguments: Coding.allCases) func white_isBright_andPeakIsWhite(_ coding: Coding) throws {
        let file = Self.file(gray: [0, coding.white, coding.peak, 1], coding)
        let row = try row(file)
        #expect(row[0] == [0, 0, 0, 255])
        #expect(row[1].x >= 190 && row[1].x < 250)
        #expect(row[2].x >= 254 && row[3].x == 255)
        for pixel in row { #expect(Int(pixel.min()) >= Int(pixel.x) - 1 && pixel.y == pixel.z) }
        let header = try ImageDecoders.builtIn.header(of: file)
        #expect(header.isHDR)
        #expect(try ImageDecoders.builtIn.decode(file).profile == nil)
    }

    /// Dark light isn't compressed: it is what sRGB makes of it, as a part of 203 cd/m².
    @Test func darkLight_stays() throws {
        // ST 2084, by 20 cd/m².
        let code = 0.3555
        let expected = 1.055 * pow(20 / 203.0, 1 / 2.4) - 0.055
        let pixel = try row(Self.file(gray: [code], .pq))[0]
        #expect(abs(Double(pixel.x) - expected * 255) <= 1)
    }

    /// Neighboring levels differ by one step at most, as they don't if the samples are cut to 8 bits first.
    @Test(arguments: Coding.allCases) func grays_ascendSmoothly(_ coding: Coding) throws {
        let levels = (0..<4_096).map { Double($0) / 4_095 }
        let row = try row(Self.file(gray: levels, coding)).map { Int($0.x) }
        #expect(zip(row, row.dropFirst()).allSatisfy { (0...1).contains($1 - $0) })
        #expect(Set(row).count == 256)
    }

    /// A red that sRGB can't show is its purest one, and one that it has stays.
    @Test func primaries_areConverted() throws {
        let white = Coding.pq.white
        let red = try row(Self.file([[white, 0, 0]], .pq))[0]
        #expect(red.x > 200 && red.y == 0 && red.z == 0)
        let sRGB = try row(Self.file([[white, 0, 0]], .pq, primaries: 1))[0]
        #expect(sRGB.x > 180 && sRGB.x < red.x && sRGB.y == 0 && sRGB.z == 0)
        // Nothing is said of the primaries.
        #expect(try row(Self.file([[white, 0, 0]], .pq, primaries: 2))[0] == red)
    }

    @Test func alpha_staysAsItIs() throws {
        let file = Self.file([[0.5, 0.5, 0.5, 0.25], [0.5, 0.5, 0.5, 1]], .pq, colorType: 6)
        let row = try row(file)
        #expect(row[0].w == 64 && row[1].w == 255)
        #expect(abs(Int(row[0].x) - Int(row[1].x) / 4) <= 1)
    }

    /// They are mapped before they are scaled.
    @Test func thumbnail_hasTheSameColors() throws {
        let file = Self.file(gray: Array(repeating: 0.5, count: 8), .pq)
        let request = DecodeRequest(target: DecodeTarget(PixelSize(width: 4, height: 1)))
        #expect(try row(file, request)[0] == row(file)[0])
    }

    @Test func interlacedImages_palettesAndPreviews_areMapped() throws {
        var file = PNGFixture.interlaced(9, 7)
        let plain = try ImageDecoders.builtIn.decode(file.data).bitmap
        file.chunksBeforePixels = [Coding.pq.chunk()]
        let mapped = try ImageDecoders.builtIn.decode(file.data).bitmap
        // PQ is lighter than sRGB where it is bright.
        #expect(plain[8, 0].x == 160 && mapped[8, 0].x > 200)
        let previews = try PreviewFixture(file.data).previews(of: [file.data])
        let last = try #require(previews.last ?? nil)
        #expect(last.bitmap == mapped)
    }

    @Test func frames_areMapped() throws {
        let pixels: [UInt8] = [160, 160, 160, 255, 0, 0, 0, 255]
        let frame = APNGFixture.Frame(pixels: pixels)
        var file = APNGFixture(frames: [frame, frame]).data
        // After the header.
        file.insert(contentsOf: PNGFixture.chunk("cICP", [9, 16, 0, 1]), at: 33)
        let image = try ImageDecoders.builtIn.decode(file)
        #expect(image.animation?.frameCount == 2)
        #expect(image.bitmap[0, 0].x > 200 && image.bitmap[1, 0] == [0, 0, 0, 255])
    }
}
#endif
