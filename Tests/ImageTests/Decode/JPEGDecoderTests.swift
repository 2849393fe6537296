import AlcedoTestSupport

#if os(Linux) && JPEG
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

struct JPEGDecoderTests {
    private let decoder = JPEGDecoder()

    @Test func decodesProgressiveFile() throws {
        let image = try decoder.decode(JPEGFixture(blocksPerSide: 3, scans: 5).data, limits: DecodeLimits())
        #expect(image.format == .jpeg)
        #expect(image.bitmap == (try Pictures.make(24, 24) { _, _ in [128, 128, 128, 255] }))
    }

    @Test(arguments: Orientation.allCases)
    func appliesOrientationOnce(_ orientation: Orientation) throws {
        let plain = try JPEGEncoder(quality: 95).encode(Pictures.gradient(40, 24))
        let stored = try decoder.decode(plain, limits: DecodeLimits()).bitmap
        let exif = EXIFFixture(orientation: UInt16(orientation.rawValue)).bytes
        let image = try decoder.decode(JPEGFixture.adding(exif: exif, to: plain), limits: DecodeLimits())
        #expect(image.bitmap == (try stored.upright(from: orientation, limits: DecodeLimits())))
    }

    @Test func everyPrefix_isAnError() throws {
        let baseline = try JPEGEncoder().encode(Pictures.noise(33, 21, seed: 5))
        for file in [baseline, JPEGFixture(blocksPerSide: 5, scans: 3).data] {
            _ = try decoder.decode(file, limits: DecodeLimits())
            for count in 0..<file.count {
                #expect(
                    [.corruptImage, .notAnImage, .emptyBody].contains(
                        failure {
                            try decoder.decode(file.prefix(count), limits: DecodeLimits())
                        }), "the first \(count) of \(file.count) bytes")
            }
        }
    }

    @Test func gapInData_isAnError_despiteEndMarker() throws {
        let whole = try JPEGEncoder().encode(Pictures.noise(64, 64, seed: 6))
        let holed = whole.prefix(whole.count / 2) + Data([0xFF, 0xD9])
        #expect(failure { try decoder.decode(holed, limits: DecodeLimits()) } == .corruptImage)
    }

    @Test func missingEndMarker_isAnError_despiteAllRows() throws {
        // The zeros hold the decoder off the end of the data while it reads the last row.
        let file = try JPEGEncoder().encode(Pictures.gradient(24, 24)).dropLast(2) + Data(repeating: 0, count: 64)
        _ = try decoder.decode(file + Data([0xFF, 0xD9]), limits: DecodeLimits())
        #expect(failure { try decoder.decode(file, limits: DecodeLimits()) } == .corruptImage)
    }

    @Test func trailingBytes_areIgnored() throws {
        let file = try JPEGEncoder().encode(Pictures.gradient(20, 20))
        let longer = file + Data(repeating: 0xFF, count: 100) + JPEGFixture(scans: 200).data
        let limits = DecodeLimits()
        #expect(try decoder.decode(longer, limits: limits).bitmap == decoder.decode(file, limits: limits).bitmap)
    }

    @Test func scansHaveLimit() throws {
        let limits = DecodeLimits()
        _ = try decoder.decode(JPEGFixture(scans: 100).data, limits: limits)
        let error = ImageLoaderError.limitExceeded(.jpegScans, value: 101, allowed: 100)
        #expect(throws: error) { try decoder.decode(JPEGFixture(scans: 101).data, limits: limits) }
        // 67 megapixels, so that a pass over all of them for each scan would be felt.
        let bomb = JPEGFixture(blocksPerSide: 1_000, scans: 1_000).data
        #expect(throws: error) { try decoder.decode(bomb, limits: limits) }
        // An end marker within a comment deceives the count that is made before decoding, not the one made within.
        let comment = JPEGFixture.segment(0xFE, [0xFF, 0xD9])
        let forged = JPEGFixture(betweenScans: comment, scans: 200).data
        #expect(throws: error) { try decoder.decode(forged, limits: limits) }
    }

    @Test func claimedSizeCostsNoMemory() {
        let claim = JPEGFixture(blocksPerSide: 8_000).data.prefix(200)
        #expect(throws: ImageLoaderError.limitExceeded(.imageSide, value: 64_000, allowed: 32_767)) {
            try decoder.decode(claim, limits: DecodeLimits())
        }
        let smaller = JPEGFixture(blocksPerSide: 3_750).data.prefix(200)
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 900_000_000, allowed: 100_000_000)) {
            try decoder.decode(smaller, limits: DecodeLimits())
        }
    }

    /// Two frame headers: the one that was held against the limits must be the one that is decoded.
    @Test func anotherFrameHeaderIsNotDecoded() throws {
        let file = JPEGFixture().data
        let frame = JPEGFixture.segment(0xC2, [8, 0, 16, 0, 16, 1, 1, 0x11, 0])
        #expect(
            failure {
                try decoder.decode(Data(file.prefix(2) + frame + file.dropFirst(2)), limits: DecodeLimits())
            } == .corruptImage)
    }
}
#endif
