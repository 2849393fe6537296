import AlcedoTestSupport

#if os(Linux) && JPEG
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// JPEGs that are decoded smaller than they are stored.
struct JPEGReductionTests {
    private let decoder = JPEGDecoder()

    private static let photo = Result { try JPEGEncoder(quality: 90).encode(PhotoFixture.bitmap.get()) }

    private func request(_ width: Int, _ height: Int, _ mode: DecodeTarget.ContentMode = .fit) -> DecodeRequest {
        DecodeRequest(target: DecodeTarget(PixelSize(width: width, height: height), mode: mode))
    }

    @Test(arguments: [
        (4_000, 3_000, 400, 300, 4), (4_000, 3_000, 500, 375, 4), (4_000, 3_000, 501, 375, 2),
        (4_000, 3_000, 250, 187, 8), (4_000, 3_000, 251, 187, 4), (4_000, 3_000, 1_000, 750, 2),
        (4_000, 3_000, 1_001, 750, 1), (4_000, 3_000, 10, 1_000, 1), (2, 2, 1, 1, 1), (3, 3, 1, 1, 2), (4, 4, 1, 1, 2),
        (65_535, 1, 1, 1, 1), (4_000, 3_000, .max, .max, 1),
    ])
    func reduction_isSmallestSizeTwiceTheTarget(width: Int, height: Int, least: Int, leastHeight: Int, denominator: Int)
    {
        let reduction = JPEGReduction(
            of: PixelSize(width: width, height: height), atLeast: PixelSize(width: least, height: leastHeight))
        #expect(reduction.denominator == denominator)
    }

    /// What would take too much memory is reduced further, but not below the target.
    @Test(arguments: [(4 * 4_000 * 3_000, 1), (4 * 4_000 * 3_000 - 1, 2), (4 * 2_000 * 1_500 - 1, 1), (9, 1)])
    func reduction_fitsIntoMemory(bytes: Int, denominator: Int) {
        let reduction = JPEGReduction(
            of: PixelSize(width: 4_000, height: 3_000), atLeast: PixelSize(width: 1_000, height: 751),
            bitmapBytes: bytes)
        // 4,000 / 4 is as wide as the target, and 3,000 / 4 is not as high.
        #expect(reduction.denominator == denominator)
    }

    @Test func nothingIsReduced_withoutTarget() {
        #expect(JPEGReduction(of: PixelSize(width: 9, height: 9), atLeast: nil).size == PixelSize(width: 9, height: 9))
    }

    @Test(arguments: [(150, 113, 2), (100, 75, 4), (50, 37, 8)])
    func result_resemblesFullImageScaled(width: Int, height: Int, denominator: Int) throws {
        let data = try Self.photo.get()
        let request = request(width, height, .fill)
        let header = try decoder.header(of: data, limits: request.limits)
        let image = try decoder.decode(data, request)
        let whole = try decoder.decode(data, DecodeRequest())
        #expect(whole.size == header.size)
        #expect(image.originalSize == header.size)
        let stored = try decoder.decodeStored(data, header, atLeast: image.size, request)
        #expect(stored.bitmap == image.bitmap)
        #expect(JPEGReduction(of: header.size, atLeast: image.size).denominator == denominator)
        #expect(try decoder.cost(header, byteCount: 0, request).workingBytes == stored.bitmap.byteCount)
        let expected = try whole.bitmap.scaled(to: image.size, limits: request.limits)
        let likeness = PhotoFixture.likeness(image.bitmap, expected)
        #expect(likeness >= 45, "\(likeness) dB")
    }

    @Test(arguments: Orientation.allCases)
    func orientation_isAppliedOnce(_ orientation: Orientation) throws {
        let plain = try Self.photo.get()
        let exif = EXIFFixture(orientation: UInt16(orientation.rawValue)).bytes
        let data = JPEGFixture.adding(exif: exif, to: plain)
        let image = try decoder.decode(data, request(90, 90))
        let whole = try decoder.decode(data, DecodeRequest()).bitmap
        #expect(image.originalSize == whole.size)
        #expect(image.size == whole.size.fitting(within: PixelSize(width: 90, height: 90)))
        let likeness = PhotoFixture.likeness(image.bitmap, try whole.scaled(to: image.size, limits: DecodeLimits()))
        #expect(likeness >= 45, "\(likeness) dB")
    }

    @Test func onlyResultingBitmap_counts() throws {
        var request = request(100, 75, .fill)
        request.limits.bitmapBytes = 100 * 75 * 4
        let data = try Self.photo.get()
        #expect(try decoder.decode(data, request).size == PixelSize(width: 100, height: 75))
        request.limits.bitmapBytes -= 1
        #expect(failure { try decoder.decode(data, request) } == .limitExceeded)
        // What is claimed counts as ever.
        request.limits.pixels = 803 * 601 - 1
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 803 * 601, allowed: 803 * 601 - 1)) {
            try decoder.decode(data, request)
        }
    }

    @Test func progressiveFile_isReducedToo() throws {
        let data = JPEGFixture(blocksPerSide: 40, scans: 7).data
        let image = try decoder.decode(data, request(41, 40))
        #expect(image.bitmap == (try Pictures.plain(40, 40, [128, 128, 128, 255])))
    }

    @Test func scansOfProgressiveFile_mayNotTakeMoreThanTwoBitmaps() throws {
        // 1,600 blocks of 128 bytes.
        let data = JPEGFixture(blocksPerSide: 40, scans: 2).data
        var request = request(41, 40)
        let header = try decoder.header(of: data, limits: request.limits)
        #expect(try decoder.cost(header, byteCount: 0, request).workingBytes == 204_800 + 40 * 40 * 4)
        request.limits.bitmapBytes = 102_399
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: 204_800, allowed: 204_798)) {
            try decoder.decode(data, request)
        }
    }

    /// The file breaks off late: who reads on learns of it, who stops between two bands does not.
    @Test(arguments: [true, false])
    func cancelledDecode_stopsBetweenBands(_ isProgressive: Bool) throws {
        let whole =
            isProgressive ? JPEGFixture(blocksPerSide: 120, scans: 2).data : try JPEGEncoder().encode(tall())
        let data = whole.prefix(whole.count * 9 / 10)
        let request = DecodeRequest()
        let header = try decoder.header(of: data, limits: request.limits)
        func decode() throws(ImageLoaderError) {
            _ = try decoder.decodeStored(data, header, atLeast: nil, request)
        }
        let error = #expect(throws: ImageLoaderError.self) { try decode() }
        #expect(error != .cancelled)
        request.cancellation.cancel()
        #expect(throws: ImageLoaderError.cancelled) { try decode() }
    }

    private func tall() throws -> Bitmap { try PhotoFixture.make(400, 1_400) }
}
#endif
