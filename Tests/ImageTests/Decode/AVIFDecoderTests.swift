#if os(Linux) && AVIF && PNG && ColorProfiles
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct AVIFDecoderTests {
    private let decoder = AVIFDecoder()

    private func color(_ x: Int, _ y: Int) -> SIMD4<UInt8> { [UInt8(x * 30), UInt8(y * 40), 96, 255] }

    @Test func stillImage_isExact() throws {
        let image = try ImageDecoders.builtIn.decode(AVIFFixture.still)
        #expect(image.bitmap == (try Pictures.make(8, 6, color)))
        #expect(image.isOpaque && image.animation == nil && image.format == .avif)
        let header = try decoder.header(of: AVIFFixture.still, limits: DecodeLimits())
        #expect(header.hasAlpha == false && header.frameCount == 1 && header.bitsPerSample == 8)
    }

    @Test func transparency_isPremultiplied() throws {
        let image = try decoder.decode(AVIFFixture.transparent, DecodeRequest())
        let expected = try Pictures.make(8, 6) { x, y in
            let (color, alpha) = (color(x, y), 255 - y * 40)
            func premultiplied(_ value: UInt8) -> UInt8 { UInt8((Int(value) * alpha + 127) / 255) }
            return [
                premultiplied(color[0]), premultiplied(color[1]), premultiplied(color[2]), UInt8(alpha),
            ]
        }
        #expect(image.bitmap == expected && !image.isOpaque)
        #expect(try decoder.header(of: AVIFFixture.transparent, limits: DecodeLimits()).hasAlpha == true)
    }

    @Test func rotation_isApplied() throws {
        let turned = try decoder.decode(AVIFFixture.turned, DecodeRequest()).bitmap
        #expect(turned == (try Pictures.make(6, 8) { x, y in color(7 - y, x) }))
        let mirrored = try decoder.decode(AVIFFixture.mirrored, DecodeRequest()).bitmap
        #expect(mirrored == (try Pictures.make(6, 8) { x, y in color(y, x) }))
        let headers = try [AVIFFixture.turned, AVIFFixture.mirrored].map {
            try decoder.header(of: $0, limits: DecodeLimits())
        }
        #expect(headers.map(\.orientation) == [.left, .leftMirrored])
    }

    /// Numbers of H.273 mean the same in nclx as in the cICP of a PNG.
    @Test(arguments: [(12, 13), (1, 8), (9, 16), (9, 18), (2, 16)] as [(UInt8, UInt8)])
    func codedColors_areThoseOfPNG(primaries: UInt8, transfer: UInt8) throws {
        var file = AVIFFixture.still
        let box = try #require(file.firstRange(of: Data("nclx".utf8))).upperBound
        (file[box + 1], file[box + 3]) = (primaries, transfer)
        var png = PNGFixture(width: 8, height: 6)
        for y in 0..<6 { png.rows += [0] + (0..<8).flatMap { [color($0, y).x, color($0, y).y, 96] } }
        png.chunksBeforePixels = [("cICP", [primaries, transfer, 0, 1])]
        var request = DecodeRequest()
        request.convertsToSRGB = true
        let image = try decoder.decode(file, request).bitmap
        let expected = try PNGDecoder().decode(png.data, request).bitmap
        let uncoded = try decoder.decode(AVIFFixture.still, request).bitmap
        #expect(image == expected && image != uncoded)
        let header = try decoder.header(of: file, limits: DecodeLimits())
        #expect(header.isHDR == (transfer >= 16))
    }

    @Test func sequence_isAnimation() async throws {
        let image = try decoder.decode(AVIFFixture.sequence, DecodeRequest())
        let animation = try #require(image.animation)
        #expect(animation.rawDelays.map { ($0 / .milliseconds(1)).rounded() } == [70, 200, 200])
        #expect(animation.loopCount == .forever)
        let colors: [SIMD4<UInt8>] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
        for (index, color) in colors.enumerated() {
            #expect(try await animation.frame(at: index)[3, 3] == color)
        }
    }

    @Test(arguments: [
        AVIFFixture.still, AVIFFixture.transparent, AVIFFixture.turned, AVIFFixture.mirrored, AVIFFixture.sequence,
    ])
    func decoderRules_areMet(_ file: Data) async {
        for problem in await DecoderCheck(decoder, damages: 300).problems(with: file) { Issue.record("\(problem)") }
    }

    @Test func framesHaveLimit() {
        var request = DecodeRequest()
        request.limits.frames = 2
        #expect(throws: ImageLoaderError.limitExceeded(.frames, value: 3, allowed: 2)) {
            try decoder.decode(AVIFFixture.sequence, request)
        }
    }
}
#endif
