import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

#if os(Linux) && JPEG && PNG && WebP && GIF && ColorProfiles
/// The color profile of an image is written to its file, or its colors are converted.
@Suite(.timeLimit(.minutes(1))) struct ProfileEncodingTests {
    /// Red is green there, and green red.
    static let swapped = ICCFixture(colors: [ICCFixture.green, ICCFixture.red, ICCFixture.blue]).data
    static let gray = ICCFixture(space: "GRAY", gamma: 1).data

    static let keeping: [any ImageEncoding] = [JPEGEncoder(quality: 95), PNGEncoder(), WebPEncoder(.lossless)]
    static let animated: [any AnimationEncoding] = [PNGEncoder(), WebPEncoder(.lossless), GIFEncoder()]

    private func image(_ bitmap: Bitmap, _ profile: Data?) -> DecodedImage {
        DecodedImage(bitmap: bitmap, format: nil, originalSize: bitmap.size, profile: profile)
    }

    /// Encodes as a program does that chooses no format, and reads the file again.
    private func written(
        _ image: DecodedImage, _ encoder: any ImageEncoding
    ) async throws -> (file: Data, image: DecodedImage) {
        var automatic = AutomaticEncoder()
        (automatic.opaque, automatic.transparent) = (encoder, encoder)
        (automatic.drawn, automatic.animation) = (nil, nil)
        let file = try await automatic.encode(image)
        #expect(ImageFormat(sniffing: file) == encoder.format)
        return (file, try ImageDecoders.builtIn.decode(file))
    }

    private func isNear(_ pixel: SIMD4<UInt8>, _ expected: SIMD4<UInt8>) -> Bool {
        (0..<4).allSatisfy { abs(Int(pixel[$0]) - Int(expected[$0])) <= 6 }
    }

    // MARK: Profiles that are kept

    @Test(arguments: keeping)
    func profile_isWritten_withUnchangedColors(_ encoder: any ImageEncoding) async throws {
        let (file, read) = try await written(image(Pictures.plain(20, 10, [200, 40, 20, 255]), Self.swapped), encoder)
        #expect(read.profile == Self.swapped)
        #expect(isNear(read.bitmap[7, 5], [200, 40, 20, 255]))
        #expect(try ProfileReader.profile(in: file) == Self.swapped)
    }

    @Test(arguments: keeping, [129, 4_097, 65_519, 65_520, 200_001])
    func longProfile_isWhole(_ encoder: any ImageEncoding, _ count: Int) async throws {
        let profile = ICCFixture.padded(to: count)
        let (file, read) = try await written(image(Pictures.gradient(8, 8), profile), encoder)
        #expect(read.profile == profile)
        #expect(try ProfileReader.profile(in: file) == profile)
    }

    /// Its length is that of its header.
    @Test(arguments: keeping)
    func bytesAfterProfile_areDropped(_ encoder: any ImageEncoding) async throws {
        let (file, read) = try await written(image(Pictures.gradient(8, 8), Self.swapped + [0, 0, 7]), encoder)
        #expect(read.profile == Self.swapped)
        #expect(try ProfileReader.profile(in: file) == Self.swapped)
    }

    @Test(arguments: [PNGEncoder(), WebPEncoder(.lossless), WebPEncoder()] as [any ImageEncoding])
    func transparency_isKeptWithProfile(_ encoder: any ImageEncoding) async throws {
        let bitmap = try Pictures.make(9, 9) { x, _ in x < 4 ? [100, 0, 0, 128] : x < 6 ? .zero : [9, 8, 7, 255] }
        let (file, read) = try await written(image(bitmap, Self.swapped), encoder)
        #expect(try ProfileReader.profile(in: file) == Self.swapped)
        for x in 0..<9 { #expect(read.bitmap[x, 4].w == bitmap[x, 4].w, "\(x)") }
        if let encoder = encoder as? WebPEncoder, encoder.compression != .lossless { return }
        #expect(read.bitmap == bitmap)
    }

    @Test(arguments: keeping)
    func imageWithoutProfile_isWrittenAsItsBitmap(_ encoder: any ImageEncoding) async throws {
        let bitmap = try Pictures.gradient(20, 10)
        #expect(try await written(image(bitmap, nil), encoder).file == encoder.encode(bitmap))
    }

    @Test(arguments: keeping)
    func encoder_takesImage(_ encoder: any ImageEncoding) async throws {
        let image = try image(Pictures.gradient(20, 10), Self.swapped)
        let file = try encoder.encode(image)
        #expect(try await written(image, encoder).file == file)
        // Settings are checked as for a bitmap.
        #expect(throws: ImageLoaderError.self) { try JPEGEncoder(quality: 101).encode(image) }
        #expect(throws: ImageLoaderError.self) { try PNGEncoder(compressionLevel: 10).encode(image) }
    }

    @Test func profile_countsForTheSizeOfAFile() async throws {
        let image = try image(PhotoFixture.make(120, 90), ICCFixture.padded(to: 2_000))
        let most = try JPEGEncoder(quality: 40).encode(image).count
        let file = try JPEGEncoder(quality: 90).encode(image, atMost: most)
        #expect((most - 300...most).contains(file.count))
        #expect(try ProfileReader.profile(in: file) == image.profile)
        var automatic = AutomaticEncoder()
        automatic.maximumBytes = most
        #expect(try ProfileReader.profile(in: await automatic.encode(image)) == image.profile)
        #expect(throws: ImageLoaderError.self) { try JPEGEncoder().encode(image, atMost: 1_999) }
    }

    /// As a thumbnail is made: loaded, scaled, processed, from the network and from the disk.
    @Test(arguments: keeping, [false, true])
    func loadedImage_keepsItsProfile(_ encoder: any ImageEncoding, _ isProcessed: Bool) async throws {
        let source = try PNGEncoder().encode(image(Pictures.gradient(64, 48), Self.swapped))
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(source) })
        fixture.configuration.disk?.contents = .processed
        var request = try ImageRequest.test("a.png")
        request.targetSize = PixelSize(width: 16, height: 16)
        request.processors = isProcessed ? [.gray()] : []
        for expected in [ImageSource.network, .disk] {
            let loader = fixture.makeLoader()
            let response = try await loader.response(for: request)
            #expect(response.source == expected && response.image.size == PixelSize(width: 16, height: 12))
            #expect(try ProfileReader.profile(in: encoder.encode(response.image)) == Self.swapped)
            await loader.flush()
        }
    }

    // MARK: Animations

    /// Red, then blue, with red and green swapped.
    private func animation(_ profile: Data, _ colors: [SIMD4<UInt8>] = [[255, 0, 0, 255], [0, 0, 255, 255]]) throws
        -> DecodedImage
    {
        let frames = try colors.map { AnimationFrame(try Pictures.plain(10, 6, $0), delay: .milliseconds(80)) }
        return try PNGDecoder().decode(PNGEncoder().encode(frames, profile: profile), limits: DecodeLimits())
    }

    @Test(arguments: animated)
    func animation_keepsItsColors(_ encoder: any AnimationEncoding) async throws {
        let image = try animation(Self.swapped)
        let animation = try #require(image.animation)
        #expect(image.profile == Self.swapped && animation.profile == Self.swapped)
        let file = try await encoder.encode(animation)
        var automatic = AutomaticEncoder()
        automatic.animation = encoder
        #expect(try await automatic.encode(image) == file)
        let isKept = encoder.format != .gif
        if isKept { #expect(try ProfileReader.profile(in: file) == Self.swapped) }
        let read = try ImageDecoders.builtIn.decode(file)
        #expect(read.profile == (isKept ? Self.swapped : nil) && read.animation?.profile == read.profile)
        let expected: [SIMD4<UInt8>] = [isKept ? [255, 0, 0, 255] : [0, 255, 0, 255], [0, 0, 255, 255]]
        let frames = try AnimationFixture.frames(of: file)
        #expect(frames.count == 2)
        for (frame, color) in zip(frames, expected) { #expect(isNear(frame[3, 3], color), "\(frame[3, 3])") }
    }

    @Test(arguments: animated)
    func grayAnimation_isConverted(_ encoder: any AnimationEncoding) throws {
        let frame = try AnimationFrame(Pictures.plain(5, 5, [128, 128, 128, 255]), delay: .milliseconds(80))
        let file = try encoder.encode([frame, frame], profile: Self.gray)
        #expect(try isNear(AnimationFixture.frames(of: file)[1][2, 2], [188, 188, 188, 255]))
        if encoder.format != .gif { #expect(try ProfileReader.profile(in: file) == nil) }
    }

    /// Of a processed animation, and of one for a player.
    @Test func animationsProfile_isPassedOn() throws {
        let image = try animation(Self.swapped)
        let chain = try #require(ProcessingChain([.gray()]))
        let gray = try chain.last(of: image, DecodeLimits(), DecodeCancellation())
        #expect(gray.animation?.profile == Self.swapped)
        #expect(image.animation?.buffered(in: FrameBudget(bytes: 1 << 20)).profile == Self.swapped)
    }

    /// PNG can't hold the second, so the entry's metadata do.
    @Test(arguments: [swapped, PictureFixture.profile(200, claiming: 199)])
    func animationFromDisk_hasItsProfile(_ profile: Data) async throws {
        let frames = try AnimationFixture.square(33, 21, count: 3, isOpaque: true)
        let source = try WebPEncoder(.lossless, effort: 0).encode(AnimationFixture.timed(frames))
        let head = WebPFixture.head(33, 21, [.animation, .profile]) + WebPFixture.chunk("ICCP", Array(profile))
        let file = WebPFixture.file(head, Array(source.dropFirst(30)))
        var fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(file) })
        fixture.configuration.disk?.contents = .processed
        var request = try ImageRequest.test("a.webp")
        request.processors = [.gray()]
        for expected in [ImageSource.network, .disk] {
            let loader = fixture.makeLoader()
            let response = try await loader.response(for: request)
            #expect(response.source == expected && response.image.animation?.frameCount == 3)
            #expect(response.image.profile == profile && response.image.animation?.profile == profile)
            await loader.flush()
        }
    }

    // MARK: Colors that are converted

    @Test func gif_isConverted() async throws {
        let bitmap = try Pictures.make(3, 1) { x, _ in [[255, 0, 0, 255], [255, 255, 255, 255], .zero][x] }
        let read = try await written(image(bitmap, Self.swapped), GIFEncoder()).image
        #expect(isNear(read.bitmap[0, 0], [0, 255, 0, 255]), "\(read.bitmap[0, 0])")
        #expect(isNear(read.bitmap[1, 0], [255, 255, 255, 255]) && read.bitmap[2, 0] == .zero)
    }

    /// An encoder from outside that knows nothing of profiles.
    private struct Plain: ImageEncoding {
        var format: ImageFormat { .png }
        var identity: String { "plain 1" }

        func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data { try PNGEncoder().encode(bitmap) }
    }

    @Test func encoderOfBitmaps_getsSRGB() async throws {
        let read = try await written(image(Pictures.plain(2, 2, [0, 255, 0, 255]), Self.swapped), Plain()).image
        #expect(isNear(read.bitmap[1, 1], [255, 0, 0, 255]) && read.profile == nil)
    }

    /// The files are RGB, which a profile of gray doesn't suit. Half of the light is 188 in sRGB.
    @Test(arguments: keeping + [GIFEncoder()])
    func grayProfile_isConverted(_ encoder: any ImageEncoding) async throws {
        let (file, read) = try await written(image(Pictures.plain(9, 9, [128, 128, 128, 255]), Self.gray), encoder)
        #expect(isNear(read.bitmap[4, 4], [188, 188, 188, 255]), "\(read.bitmap[4, 4])")
        #expect(read.profile == nil)
        if encoder.format != .gif { #expect(try ProfileReader.profile(in: file) == nil) }
    }

    /// Such as a tint makes of a gray picture.
    @Test func colorsWithGrayProfile_stayColors() async throws {
        let read = try await written(image(Pictures.plain(9, 9, [128, 0, 255, 255]), Self.gray), PNGEncoder()).image
        #expect(isNear(read.bitmap[4, 4], [188, 0, 255, 255]), "\(read.bitmap[4, 4])")
    }

    static let unusable = [
        ICCFixture(space: "CMYK").data, Data([1, 2, 3]), swapped.prefix(140), Data(repeating: 7, count: 500),
    ]

    /// The intended colors are unknown, so they are taken as sRGB. The profile of a CMYK file doesn't describe the RGB
    /// to which its inks were converted.
    @Test(arguments: keeping + [GIFEncoder()], unusable)
    func unusableProfile_isLeftOut(_ encoder: any ImageEncoding, _ profile: Data) async throws {
        let bitmap = try Pictures.plain(9, 9, [200, 40, 20, 255])
        #expect(try await written(image(bitmap, profile), encoder).file == encoder.encode(bitmap))
    }
}

extension ICCFixture {
    /// A profile of this length: one with bytes after its tags.
    static func padded(to count: Int) -> Data {
        var random = SeededRandom(seed: UInt64(count))
        var profile = ICCFixture().data
        while profile.count < count { profile.append(UInt8.random(in: 0...255, using: &random)) }
        profile = profile.prefix(count)
        profile.replaceSubrange(0..<4, with: PNGFixture.long(count))
        return profile
    }
}
#endif
