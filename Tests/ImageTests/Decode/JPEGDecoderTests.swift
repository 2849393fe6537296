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
            for count in 0..<file.count - 2 {
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

    /// All pixels are there, and not one less.
    @Test func missingEndMarker_isAccepted() throws {
        let photo = try PhotoFixture.make(83, 61)
        var progressive = JPEGEncoder()
        progressive.isProgressive = true
        for file in [
            try JPEGEncoder().encode(photo), try progressive.encode(photo),
            try JPEGEncoder(quality: 100).encode(photo), InkJPEGFixture().data,
            InkJPEGFixture(hasScanPerInk: true).data,
        ] {
            for target in [nil, DecodeTarget(PixelSize(width: 5, height: 5))] {
                let request = DecodeRequest(target: target)
                let whole = try decoder.decode(file, request).bitmap
                for count in [file.count - 1, file.count - 2] {
                    #expect(try decoder.decode(file.prefix(count), request).bitmap == whole)
                    // Bytes that are no marker may follow, or a segment that is cut off.
                    for end in [Data(repeating: 0, count: 64), Data([0xFF, 0xFE, 0, 9, 1])] {
                        #expect(try decoder.decode(file.prefix(file.count - 2) + end, request).bitmap == whole)
                    }
                }
                for count in [file.count - 3, file.count - 4, file.count / 2] {
                    #expect(throws: Self.endsTooEarly) { try decoder.decode(file.prefix(count), request) }
                }
            }
        }
    }

    private static let endsTooEarly = ImageLoaderError.corruptImage(
        .jpeg, reason: "ends too early: Premature end of JPEG file")

    @Test func missingScan_isAnError() throws {
        var encoder = JPEGEncoder()
        encoder.isProgressive = true
        for file in [try encoder.encode(PhotoFixture.make(83, 61)), InkJPEGFixture(hasScanPerInk: true).data] {
            let scans = file.indices.dropLast().filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
            for scan in scans.dropFirst() {
                #expect(throws: Self.endsTooEarly) { try decoder.decode(file[..<scan], limits: DecodeLimits()) }
            }
        }
    }

    /// Inks are stored as light, whether or not Adobe's marker says so.
    @Test(arguments: [true, false], [true, false])
    func inksAreLight(_ hasAdobeMarker: Bool, _ hasScanPerInk: Bool) throws {
        var file = InkJPEGFixture(hasAdobeMarker: hasAdobeMarker, hasScanPerInk: hasScanPerInk)
        for (black, color) in [(255, [200, 120, 40, 255]), (0, [0, 0, 0, 255])] as [(Int, SIMD4<UInt8>)] {
            file.values[3] = black
            #expect(try decoder.decode(file.data, limits: DecodeLimits()).bitmap[3, 4] == color)
            let header = try decoder.header(of: file.data, limits: DecodeLimits())
            let reader = try decoder.previewReader(file.data, header, DecodeRequest())
            try file.data.withUnsafeBytes { try reader.append($0, DecodeCancellation()) }
            #expect(try reader.preview(DecodeCancellation())?.bitmap[3, 4] == color)
        }
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
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 4_096_000_000, allowed: 1 << 28)) {
            try decoder.decode(claim, limits: DecodeLimits())
        }
        let smaller = JPEGFixture(blocksPerSide: 3_750).data.prefix(200)
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 900_000_000, allowed: 1 << 28)) {
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
