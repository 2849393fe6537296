import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct ImageHeaderTests {
    @Test func readsSizeOfJPEG() throws {
        let header = try ImageHeader(jpeg: JPEGFixture(blocksPerSide: 300).data, limits: DecodeLimits())
        var expected = ImageHeader(format: .jpeg, size: PixelSize(width: 2_400, height: 2_400))
        expected.hasAlpha = false
        expected.bitsPerSample = 8
        expected.frameCount = 1
        // 300 × 300 blocks of 64 coefficients.
        expected.coefficientBytes = 11_520_000
        #expect(header == expected)
    }

    @Test func readsSizeOfPNG() throws {
        let header = try ImageHeader(png: PNGFixture(width: 700, height: 3).data, limits: DecodeLimits())
        var expected = ImageHeader(format: .png, size: PixelSize(width: 700, height: 3))
        expected.hasAlpha = false
        expected.bitsPerSample = 8
        expected.frameCount = 1
        #expect(header == expected)
    }

    @Test(arguments: Orientation.allCases, [true, false])
    func readsOrientation(_ orientation: Orientation, _ littleEndian: Bool) throws {
        let exif = EXIFFixture(orientation: UInt16(orientation.rawValue), littleEndian: littleEndian).bytes
        let jpeg = JPEGFixture.adding(exif: exif, to: JPEGFixture().data)
        #expect(try ImageHeader(jpeg: jpeg, limits: DecodeLimits()).orientation == orientation)
        var png = PNGFixture(width: 1, height: 1, chunksBeforePixels: [("eXIf", exif)])
        #expect(try ImageHeader(png: png.data, limits: DecodeLimits()).orientation == orientation)
        png = PNGFixture(width: 1, height: 1, chunksAfterPixels: [("eXIf", exif)])
        #expect(try ImageHeader(png: png.data, limits: DecodeLimits()).orientation == orientation)
    }

    @Test(arguments: [
        EXIFFixture(orientation: 0), EXIFFixture(orientation: 9), EXIFFixture(orientation: 0xFFFF),
        EXIFFixture(orientation: 6, directoryOffset: 0xFFFF_FFFF), EXIFFixture(orientation: 6, directoryOffset: 4),
        EXIFFixture(orientation: 6, claimedEntries: 0), EXIFFixture(orientation: 6, claimedEntries: 1),
        EXIFFixture(orientation: 6, type: 2), EXIFFixture(orientation: 6, count: 0xFFFF_FFFF),
    ])
    func brokenEXIFMeansUp(_ exif: EXIFFixture) throws {
        let jpeg = JPEGFixture.adding(exif: exif.bytes, to: JPEGFixture().data)
        #expect(try ImageHeader(jpeg: jpeg, limits: DecodeLimits()).orientation == .up)
    }

    @Test func entryCountBeyondBlockIsNoTrap() throws {
        let exif = EXIFFixture(orientation: 6, claimedEntries: 0xFFFF).bytes
        for count in 0...exif.count {
            let jpeg = JPEGFixture.adding(exif: Array(exif.prefix(count)), to: JPEGFixture().data)
            let orientation = try ImageHeader(jpeg: jpeg, limits: DecodeLimits()).orientation
            #expect(orientation == .up || orientation == .right && count >= 32)
        }
    }

    /// The segment says it is longer, or shorter, than it is: whatever is read of it, nothing traps.
    @Test func wrongLengthOfEXIFSegmentIsNoTrap() throws {
        let jpeg = JPEGFixture.adding(exif: EXIFFixture(orientation: 6).bytes, to: JPEGFixture().data)
        for length in Array(0...80) + [255, 256, 4_095, 65_534, 65_535] {
            var bytes = jpeg
            bytes[4] = UInt8(length >> 8)
            bytes[5] = UInt8(length & 255)
            _ = Result { () throws(ImageLoaderError) in try ImageHeader(jpeg: bytes, limits: DecodeLimits()) }
        }
    }

    @Test func metadataHasLimit() {
        var limits = DecodeLimits()
        limits.metadataBytes = 40
        let exif = [UInt8](repeating: 0, count: 41)
        let png = PNGFixture(width: 1, height: 1, chunksBeforePixels: [("eXIf", exif)]).data
        #expect(throws: ImageLoaderError.limitExceeded(.metadataBytes, value: 41, allowed: 40)) {
            try ImageHeader(png: png, limits: limits)
        }
        #expect(throws: ImageLoaderError.limitExceeded(.metadataBytes, value: 49, allowed: 40)) {
            try ImageHeader(jpeg: JPEGFixture.adding(exif: exif, to: JPEGFixture().data), limits: limits)
        }
    }

    @Test(
        arguments: [
            (0xC3, 8, ImageLoaderError.unsupportedImage(.jpeg, reason: "lossless")),
            (0xC5, 8, .unsupportedImage(.jpeg, reason: "hierarchical")),
            (0xC1, 12, .unsupportedImage(.jpeg, reason: "12 bits per sample")),
        ] as [(UInt8, UInt8, ImageLoaderError)])
    func unsupportedFormats_areNamed(_ marker: UInt8, _ precision: UInt8, _ error: ImageLoaderError) {
        let jpeg = Data([0xFF, 0xD8] + JPEGFixture.segment(marker, [precision, 0, 8, 0, 8, 1, 1, 0x11, 0]))
        #expect(throws: error) { try ImageHeader(jpeg: jpeg, limits: DecodeLimits()) }
    }

    /// A height of 0 says that a segment behind the first scan (DNL) has it.
    @Test func deferredHeight_isUnsupported_andMissingHeightIsDamage() {
        let start: [UInt8] = [0xFF, 0xD8] + JPEGFixture.segment(0xC0, [8, 0, 0, 0, 8, 1, 1, 0x11, 0])
        let scan: [UInt8] = JPEGFixture.segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0xFF, 0, 0x34, 0xFF, 0xD0, 0x56]
        let lines = JPEGFixture.segment(0xDC, [0, 8])
        let end: [UInt8] = [0xFF, 0xD9]
        let later = ImageLoaderError.unsupportedImage(.jpeg, reason: "its height comes behind the first scan (DNL)")
        let never = ImageLoaderError.corruptImage(.jpeg, reason: "8 × 0 pixels")
        for (file, error) in [
            (start + scan + lines + end, later), (start + scan + end, never), (start, never),
            (start + scan + lines.prefix(2), never),
            (start + scan + JPEGFixture.segment(0xDC, [0, 0]) + end, never),
        ] as [([UInt8], ImageLoaderError)] {
            #expect(throws: error) { try ImageDecoders.builtIn.header(of: Data(file)) }
            #expect(throws: error) { try ImageDecoders.builtIn.decode(Data(file)) }
        }
    }

    @Test func namesAppsCgBI() {
        let png = Data(PNGFixture.signature + PNGFixture.chunk("CgBI", [0x50, 0, 0x20, 2]))
        #expect(throws: ImageLoaderError.corruptImage(.png, reason: "does not begin with a whole image header")) {
            try ImageHeader(png: png, limits: DecodeLimits())
        }
    }

    @Test func readsSlice() throws {
        let jpeg = (Data([1, 2, 3]) + JPEGFixture().data).dropFirst(3)
        #expect(try ImageHeader(jpeg: jpeg, limits: DecodeLimits()).size.width == 8)
    }

    @Test func everyPrefixIsHeaderOrError() {
        let exif = EXIFFixture(orientation: 6).bytes
        let jpeg = JPEGFixture.adding(exif: exif, to: JPEGFixture().data)
        let png = PNGFixture(width: 1, height: 1, chunksAfterPixels: [("eXIf", exif)]).data
        for count in 0..<jpeg.count {
            let result = Result { () throws(ImageLoaderError) in
                try ImageHeader(jpeg: jpeg.prefix(count), limits: DecodeLimits()).size.width
            }
            if case .success(let width) = result { #expect(width == 8) }
        }
        for count in 0..<png.count {
            let result = Result { () throws(ImageLoaderError) in
                try ImageHeader(png: png.prefix(count), limits: DecodeLimits()).size.width
            }
            if case .success(let width) = result { #expect(width == 1 && count >= 24) }
        }
    }
}
