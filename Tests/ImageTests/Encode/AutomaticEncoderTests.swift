import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

#if os(Linux) && JPEG && PNG && WebP && GIF
@Suite(.timeLimit(.minutes(1))) struct AutomaticEncoderTests {
    private let encoder = AutomaticEncoder()

    private func format(_ bitmap: Bitmap) async throws -> ImageFormat? {
        let file = try await encoder.encode(DecodedImage(bitmap: bitmap))
        #expect(try encoder.encode(bitmap) == file)
        return ImageFormat(sniffing: file)
    }

    /// Its file has said nothing of that: the pixels do.
    @Test func opaqueImage_isJPEG() async throws {
        #expect(try await format(Pictures.gradient(40, 30)) == .jpeg)
        var png = PNGFixture(width: 40, height: 30, colorType: 6)
        for y in 0..<30 {
            png.rows.append(0)
            for x in 0..<40 { png.rows += [UInt8(x * 6), UInt8(y * 8), 7, 255] }
        }
        let image = try ImageDecoders.builtIn.decode(png.data)
        #expect(!image.isOpaque)
        #expect(try await ImageFormat(sniffing: encoder.encode(image)) == .jpeg)
    }

    @Test func oneTransparentPixel_isEnough() async throws {
        for place in [0, 41, 40 * 30 - 1] {
            let bitmap = try Pictures.make(40, 30) { x, y in
                y * 40 + x == place ? [9, 9, 9, 254] : [9, 9, 9, 255]
            }
            #expect(try await format(bitmap) == .webp, "\(place)")
        }
    }

    @Test func animation_remainsAnimation() async throws {
        let image = try ImageDecoders.builtIn.decode(GIFFixture.animation(4).data)
        let file = try await encoder.encode(image)
        #expect(ImageFormat(sniffing: file) == .webp)
        #expect(try ImageDecoders.builtIn.decode(file).animation?.frameCount == 4)
    }

    @Test func encoders_areConfigurable() async throws {
        var encoder = encoder
        (encoder.opaque, encoder.transparent) = (WebPEncoder(), PNGEncoder())
        (encoder.drawn, encoder.animation) = (nil, GIFEncoder())
        let moving = try ImageDecoders.builtIn.decode(GIFFixture.animation(4).data)
        #expect(try ImageFormat(sniffing: encoder.encode(Pictures.gradient(4, 4))) == .webp)
        #expect(try ImageFormat(sniffing: encoder.encode(Pictures.plain(4, 4, [0, 0, 0, 0]))) == .png)
        #expect(try await ImageFormat(sniffing: encoder.encode(moving)) == .gif)
        encoder.animation = nil
        let still = try await encoder.encode(moving)
        #expect(try AnimationFixture.frames(of: still).map(\.size) == [moving.size])
        encoder.opaque = nil
        let error = ImageLoaderError.unsupportedConfiguration("no encoder for this kind of image")
        #expect(throws: error) { try encoder.encode(Pictures.gradient(4, 4)) }
    }

    @Test func sizeLimit_isKept() async throws {
        let photo = try PhotoFixture.make(120, 90)
        var encoder = encoder
        encoder.maximumBytes = try JPEGEncoder(quality: 30).encode(photo).count
        let file = try await encoder.encode(DecodedImage(bitmap: photo))
        #expect(file.count == encoder.maximumBytes)
        encoder.lowestQuality = 31
        await #expect(throws: ImageLoaderError.self) { try await encoder.encode(DecodedImage(bitmap: photo)) }
        encoder.maximumBytes = 10
        let moving = try ImageDecoders.builtIn.decode(GIFFixture.animation(4).data)
        await #expect(throws: ImageLoaderError.self) { try await encoder.encode(moving) }
    }

    @Test func cancelledCaller_getsNothing() async throws {
        let image = try DecodedImage(bitmap: Pictures.gradient(4, 4))
        let task = Task { [encoder] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await encoder.encode(image)
        }
        await #expect(throws: ImageLoaderError.cancelled) { try await task.value }
    }

    // MARK: Drawn images

    private func board(_ alpha: UInt8 = 255) throws -> Bitmap {
        try Pictures.make(160, 120) { x, y in (x / 20 + y / 20) % 2 == 0 ? .zero : [alpha, 9, 9, alpha] }
    }

    @Test func drawnImage_isLossless() async throws {
        for bitmap in try [board(), board(90), Pictures.plain(1, 1), Pictures.plain(30, 20)] {
            let file = try await encoder.encode(DecodedImage(bitmap: bitmap))
            #expect(ImageFormat(sniffing: file) == .webp)
            #expect(try ImageDecoders.builtIn.decode(file).bitmap == bitmap)
            #expect(try encoder.encode(bitmap) == file)
        }
    }

    /// A photo on a plain background is half flat, and still a photo.
    @Test func photoOnPlainBackground_isLossy() throws {
        let photo = try PhotoFixture.make(160, 120)
        let cutOut = try Pictures.make(160, 240) { x, y in y < 120 ? photo[x, y] : [255, 255, 255, 255] }
        var encoder = encoder
        (encoder.opaque, encoder.drawn) = (JPEGEncoder(quality: 50), PNGEncoder())
        #expect(try ImageFormat(sniffing: encoder.encode(cutOut)) == .jpeg)
    }

    @Test func drawnImage_keepsLimit() throws {
        let board = try board()
        var encoder = encoder
        let lossless = try encoder.encode(board)
        encoder.maximumBytes = lossless.count
        #expect(try encoder.encode(board) == lossless)
        // Nothing is as small as that, and the error is that of the other encoder.
        encoder.maximumBytes = 10
        #expect(throws: ImageLoaderError.self) { try encoder.encode(board) }
        // Without an encoder for others.
        (encoder.maximumBytes, encoder.transparent) = (nil, nil)
        #expect(try encoder.encode(board) == lossless)
        encoder.maximumBytes = 10
        #expect(throws: ImageLoaderError.unsupportedConfiguration("no encoder for this kind of image")) {
            try encoder.encode(board)
        }
    }

    /// WebP's sides have 14 bits.
    @Test func longDrawing_isWrittenByTheOtherEncoder() throws {
        let long = try Pictures.plain(16_384, 1)
        #expect(try ImageFormat(sniffing: encoder.encode(long)) == .jpeg)
    }

    // MARK: Formats that a client accepts

    /// Of an opaque photo, one with transparency, a drawing and an animation.
    private func formats(_ accept: String) async throws -> [ImageFormat?] {
        let encoder = AutomaticEncoder(accept: accept)
        let photo = try PhotoFixture.make(120, 90)
        let faded = try Pictures.make(120, 90) { x, y in
            photo[x, y].scaled(by: UInt8(x * 2))
        }
        let moving = try ImageDecoders.builtIn.decode(GIFFixture.animation(4).data)
        var files: [Data] = []
        for image in try [DecodedImage(bitmap: photo), .init(bitmap: faded), .init(bitmap: board()), moving] {
            files.append(try await encoder.encode(image))
        }
        #expect(try ImageDecoders.builtIn.decode(files[2]).bitmap == board(), "lossless")
        return files.map { ImageFormat(sniffing: $0) }
    }

    /// As browsers and other clients send it.
    @Test(arguments: [
        "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
        "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
        "image/webp", "IMAGE/WebP ; q=0.5 , */*;q=0", "image/webp,image/jpeg;q=0.9",
    ])
    func clientThatListsWebP_getsIt(_ accept: String) async throws {
        #expect(try await formats(accept) == [.webp, .webp, .webp, .webp])
    }

    @Test(arguments: [
        "", "*/*", "image/*", "image/png,image/svg+xml,image/*;q=0.8,video/*;q=0.8,*/*;q=0.5",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "image/webp;q=0,*/*", "image/webp;q=0.000",
        "image/webp;q=x", "\u{0}\u{FF}, ;;,,q=1", "text/html", "image/webpx, image/web", "\"image/webp\"",
        "image/gif;q=0",
    ])
    func otherClient_getsWhatAllRead(_ accept: String) async throws {
        #expect(try await formats(accept) == [.jpeg, .png, .png, .gif])
    }

    @Test func weights_areRespected() async throws {
        #expect(try await formats("image/jpeg, image/webp;q=0.1")[0] == .jpeg)
        #expect(try await formats("image/jpeg;q=0, */*") == [.png, .png, .png, .gif])
        #expect(try await formats("image/png") == [.png, .png, .png, .gif])
    }

    // MARK: One format, one quality

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .gif]) func format_isThatOfAllFiles(_ format: ImageFormat)
        async throws
    {
        let encoder = try #require(AutomaticEncoder(format: format))
        let moving = try ImageDecoders.builtIn.decode(GIFFixture.animation(4).data)
        for image in try [DecodedImage(bitmap: PhotoFixture.make(40, 30)), .init(bitmap: board(100)), moving] {
            let file = try await encoder.encode(image)
            #expect(ImageFormat(sniffing: file) == format)
            let frames = format == .jpeg ? nil : image.animation?.frameCount
            #expect(try ImageDecoders.builtIn.decode(file).animation?.frameCount == frames)
        }
    }

    @Test func formatWithoutEncoder_hasNone() {
        #expect(AutomaticEncoder(format: .svg) == nil)
    }

    @Test func quality_appliesToLossyFiles() throws {
        let photo = try PhotoFixture.make(120, 90)
        for accept in ["image/webp", "image/jpeg"] {
            let (low, usual) = (AutomaticEncoder(accept: accept, quality: 20), AutomaticEncoder(accept: accept))
            #expect(try low.encode(photo).count < usual.encode(photo).count)
            #expect(try low.encode(board()) == usual.encode(board()), "a drawing")
            #expect(low.identity != usual.identity)
        }
        let png = try #require(AutomaticEncoder(format: .png, quality: 20))
        #expect(try png.encode(photo) == PNGEncoder().encode(photo))
    }
}

extension SIMD4<UInt8> {
    /// A pixel that is opaque, made transparent.
    fileprivate func scaled(by alpha: UInt8) -> Self {
        SIMD4(truncatingIfNeeded: SIMD4<UInt16>(truncatingIfNeeded: self) &* UInt16(alpha) / 255)
    }
}
#endif
