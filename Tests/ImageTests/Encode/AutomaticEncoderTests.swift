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
        #expect(try await format(Pictures.plain(1, 1)) == .jpeg)
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
        encoder.animation = GIFEncoder()
        let moving = try ImageDecoders.builtIn.decode(GIFFixture.animation(4).data)
        #expect(try ImageFormat(sniffing: encoder.encode(Pictures.gradient(4, 4))) == .webp)
        #expect(try ImageFormat(sniffing: encoder.encode(Pictures.plain(4, 4, [0, 0, 0, 0]))) == .png)
        #expect(try await ImageFormat(sniffing: encoder.encode(moving)) == .gif)
        encoder.animation = nil
        let still = try await encoder.encode(moving)
        #expect(try AnimationFixture.frames(of: still).map(\.size) == [moving.size])
        encoder.opaque = nil
        let error = ImageLoaderError.unsupportedConfiguration("no encoder for this kind of picture")
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
}
#endif
