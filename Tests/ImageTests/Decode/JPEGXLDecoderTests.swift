#if os(Linux) && JPEGXL
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(2))) struct JPEGXLDecoderTests {
    typealias File = JPEGXLFixture

    private let decoder = JPEGXLDecoder()

    private func header(_ file: File) throws -> ImageHeader {
        try decoder.header(of: file.data, limits: DecodeLimits())
    }

    private func isFixture(_ bitmap: Bitmap, _ width: Int, _ height: Int, frame: Int = 0, hasAlpha: Bool = false)
        -> Bool
    {
        bitmap.size == PixelSize(width: width, height: height)
            && (0..<width * height).allSatisfy { index in
                let (x, y) = (index % width, index / width)
                return bitmap[x, y] == File.color(x, y, frame: frame, hasAlpha: hasAlpha)
            }
    }

    // MARK: Pixels

    @Test func picture_isDecoded() throws {
        let image = try ImageDecoders.builtIn.decode(File.rgb.data)
        #expect(isFixture(image.bitmap, 20, 12))
        #expect(image.isOpaque && image.format == .jxl && image.profile == nil && image.animation == nil)
        let header = try header(.rgb)
        #expect(header.hasAlpha == false && header.frameCount == 1 && header.bitsPerSample == 8 && !header.isHDR)
    }

    @Test func alpha_isMultiplied() throws {
        let image = try decoder.decode(File.alpha.data, DecodeRequest())
        #expect(isFixture(image.bitmap, 12, 9, hasAlpha: true))
        #expect(try !image.isOpaque && header(.alpha).hasAlpha == true)
    }

    @Test func picture_inSeveralSections_isDecoded() throws {
        let image = try decoder.decode(File.large.data, DecodeRequest())
        #expect(image.size == PixelSize(width: 600, height: 520))
        #expect([(0, 0), (599, 0), (300, 519)].allSatisfy { image.bitmap[$0.0, $0.1] == [10, 200, 30, 255] })
    }

    @Test func orientation_isAppliedOnce() throws {
        #expect(try header(.turned).orientation == .right)
        var request = DecodeRequest()
        request.appliesOrientation = false
        #expect(isFixture(try decoder.decode(File.turned.data, request).bitmap, 8, 5))
        let upright = try decoder.decode(File.turned.data, DecodeRequest())
        #expect(upright.size == PixelSize(width: 5, height: 8))
        #expect(upright.bitmap[4, 0] == File.color(0, 0) && upright.bitmap[0, 7] == File.color(7, 4))
    }

    @Test func target_isReached() throws {
        let target = DecodeTarget(PixelSize(width: 10, height: 6))
        let small = try decoder.decode(File.rgb.data, DecodeRequest(target: target))
        let whole = try decoder.decode(File.rgb.data, DecodeRequest()).bitmap
        #expect(
            try small.bitmap
                == whole.scaled(to: PixelSize(width: 10, height: 6), from: nil, dividedBy: 1, limits: DecodeLimits()))
    }

    // MARK: Colors

    @Test func profile_isMadeOfNumbers() throws {
        let image = try decoder.decode(File.p3.data, DecodeRequest())
        let profile = try #require(image.profile)
        #expect(ProfileHeader(profile)?.space == .rgb)
        #expect(try header(.p3).profileBytes == profile.count)
        #expect(isFixture(image.bitmap, 8, 6))
        var limits = DecodeLimits()
        limits.metadataBytes = 10
        #expect(throws: ImageLoaderError.limitExceeded(.metadataBytes, value: profile.count, allowed: 10)) {
            try decoder.header(of: File.p3.data, limits: limits)
        }
    }

    @Test func hdr_becomesSRGB() throws {
        let header = try header(.pq)
        #expect(header.isHDR && header.bitsPerSample == 16 && header.profileBytes == nil)
        let image = try decoder.decode(File.pq.data, DecodeRequest())
        #expect(image.profile == nil)
        let mapping = try #require(ColorDescription(primaries: 9, transfer: 16)?.toneMapping)
        for (x, y) in [(0, 0), (7, 0), (3, 4), (7, 5)] {
            var expected = [UInt8](repeating: 0, count: 4)
            let color = File.color(x, y)
            let samples = (0..<4).map { UInt16(color[$0]) * 257 }
            expected.withUnsafeMutableBytes { mapping.map(samples.span, to: $0) }
            #expect(image.bitmap[x, y] == SIMD4(expected[0], expected[1], expected[2], expected[3]))
        }
    }

    // MARK: Containers

    @Test func codestream_inParts_isJoined() throws {
        let bytes = [UInt8](File.rgb.data)
        let file = File.container(
            ("jxll", [5]), ("jxlp", File.long(0) + bytes[..<7]), ("xml ", [1, 2, 3]),
            ("jxlp", File.long(1) + bytes[7..<30]), ("jxlp", File.long(2 | 1 << 31) + bytes[30...]))
        #expect(isFixture(try ImageDecoders.builtIn.decode(file).bitmap, 20, 12))
    }

    @Test func metadata_isRead() throws {
        let exif = TIFFFixture.photo().bytes
        let file = File.container(("jxlc", [UInt8](File.rgb.data)), ("Exif", File.long(0) + exif))
        var request = DecodeRequest()
        request.keepsMetadata = true
        let image = try decoder.decode(file, request)
        #expect(image.metadata?.camera.model == "AW-1")
        // The codestream states the orientation.
        #expect(image.size == PixelSize(width: 20, height: 12))
    }

    @Test func containerWithoutCodestream_isAnError() throws {
        let file = File.container(("Exif", [0, 0, 0, 0]))
        #expect(failure { try decoder.decode(file, DecodeRequest()) } == .corruptImage)
    }

    // MARK: Animations

    @Test func animation_isDecoded() async throws {
        #expect(try header(.moving).frameCount == 3)
        let image = try decoder.decode(File.moving.data, DecodeRequest())
        let animation = try #require(image.animation)
        #expect(animation.frameCount == 3 && animation.loopCount == .times(2))
        #expect(animation.rawDelays == [.milliseconds(50), .milliseconds(60), .milliseconds(70)])
        for index in [0, 2, 1] {
            let frame = try await animation.frame(at: index)
            #expect(isFixture(frame, 6, 4, frame: index, hasAlpha: true))
        }
        var request = DecodeRequest()
        request.frames = .first
        let still = try decoder.decode(File.moving.data, request)
        #expect(still.animation == nil && still.bitmap == image.bitmap)
    }

    @Test func framesAndPixelsOfAnimation_areLimited() throws {
        var limits = DecodeLimits()
        limits.frames = 2
        #expect(failure { try decoder.header(of: File.moving.data, limits: limits) } == .limitExceeded)
        limits = DecodeLimits()
        limits.animationPixels = 23
        #expect(failure { try decoder.decode(File.moving.data, DecodeRequest(limits: limits)) } == .limitExceeded)
    }

    // MARK: Bad input

    /// The codec would allocate the pixels of a frame, however large.
    @Test func frameLargerThanThePicture_isLimited() throws {
        var writer = JPEGXLBitWriter(width: 8, height: 8)
        writer.addFrame(width: 1 << 20, height: 1 << 20)
        #expect(throws: ImageLoaderError.limitExceeded(.imageSide, value: 1 << 20, allowed: 65_535)) {
            try decoder.decode(Data(writer.bytes), DecodeRequest())
        }
    }

    @Test func hiddenFrames_areLimited() throws {
        var writer = JPEGXLBitWriter(width: 8, height: 8)
        for _ in 0..<300 { writer.addFrame(width: 1_024, height: 1_024, kind: 2, length: 3) }
        writer.addFrame(width: 8, height: 8)
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: 257 << 20, allowed: 1 << 28)) {
            try decoder.decode(Data(writer.bytes), DecodeRequest())
        }
    }

    @Test func hiddenFrames_areCounted() throws {
        var writer = JPEGXLBitWriter(width: 8, height: 8)
        for _ in 0..<70 { writer.addFrame(width: 1, height: 1, kind: 2, length: 1) }
        writer.addFrame(width: 8, height: 8)
        var limits = DecodeLimits()
        limits.frames = 1
        #expect(throws: ImageLoaderError.limitExceeded(.frames, value: 65, allowed: 64)) {
            try decoder.header(of: Data(writer.bytes), limits: limits)
        }
    }

    /// Some releases of libjxl take it for the last frame, and others go on after it.
    @Test func frameInPlaceOfACoarseOne_isUnsupported() throws {
        var writer = JPEGXLBitWriter(width: 8, height: 8)
        writer.addFrame(width: 8, height: 8, kind: 3)
        #expect(failure { try decoder.header(of: Data(writer.bytes), limits: DecodeLimits()) } == .unsupportedImage)
    }

    /// Only the highest four bits of 64 are set, which are in a form of their own.
    @Test(arguments: [false, true]) func extensions_areUnsupported(_ isOfFilter: Bool) throws {
        var writer = JPEGXLBitWriter(width: 8, height: 8)
        writer.addFrame(width: 8, height: 8, extensionsOf: isOfFilter ? .filter : .frame)
        #expect(failure { try decoder.header(of: Data(writer.bytes), limits: DecodeLimits()) } == .unsupportedImage)
    }

    @Test(arguments: [File.rgb, .alpha, .moving, .p3, .pq, .large, .turned])
    func everyPrefix_isAnError(_ file: File) throws {
        let whole = file.data
        for count in 0..<whole.count {
            let kind = failure { try decoder.decode(whole.prefix(count), DecodeRequest()) }
            #expect(kind == .corruptImage, "\(count) of \(whole.count)")
        }
        #expect(failure { try decoder.decode(whole + [1, 2, 3], DecodeRequest()) } == nil)
    }

    @Test(arguments: [File.rgb, .alpha, .moving, .pq, .large])
    func changedBytes_areHarmless(_ file: File) throws {
        var limits = DecodeLimits()
        limits.pixels = 1 << 19
        limits.bitmapBytes = 1 << 21
        for place in file.data.indices {
            for bit in 0..<8 {
                var damaged = file.data
                damaged[place] ^= 1 << UInt8(bit)
                let kind = failure { try decoder.decode(damaged, DecodeRequest(limits: limits)) }
                #expect(kind == nil || [.corruptImage, .unsupportedImage, .limitExceeded].contains(kind))
            }
        }
    }

    @Test func cancellation_stopsTheDecode() throws {
        let cancellation = DecodeCancellation()
        cancellation.cancel()
        #expect(throws: ImageLoaderError.cancelled) {
            try decoder.decode(File.rgb.data, DecodeRequest(cancellation: cancellation))
        }
    }
}
#endif
