import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// A codec, an encoder and a transport that are added from outside the package, through public API only.
@Suite(.timeLimit(.minutes(1))) struct ExtensionTests {
    private let url: URL
    private let bitmap: Bitmap
    private let file: Data

    init() throws {
        url = try #require(URL(string: "http://host.test/a.toy"))
        var builder = try BitmapBuilder(size: PixelSize(width: 40, height: 30))
        builder.withBytes { bytes in
            for offset in 0..<40 * 30 * 4 {
                let byte = offset % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: offset / 4)
                bytes.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
        bitmap = builder.freeze()
        file = try ToyEncoder().encode(bitmap)
    }

    private func configuration(_ transport: any DataLoading) -> ImageLoader.Configuration {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        configuration.decode.decoders = ImageDecoders([ToyDecoder()] + ImageDecoders.builtIn.decoders)
        configuration.previews.minimumBytes = 0
        configuration.previews.interval = .zero
        configuration.previews.maximumTimeShare = 1
        return configuration
    }

    @Test func aFormatOfTheProgram_isLoaded_andScaledByTheLibrary() async throws {
        let loader = ImageLoader(configuration(ScriptedDataLoader { [file] _ in .bytes(file) }))
        let image = try await loader.image(for: url)
        #expect(image.bitmap == bitmap)
        #expect(image.format == .toy)
        var request = ImageRequest(url: url)
        request.targetSize = PixelSize(width: 20, height: 20)
        #expect(try await loader.image(for: request).size == PixelSize(width: 20, height: 15))
    }

    @Test func aDamagedFile_isTheDecodersError() async throws {
        let loader = ImageLoader(configuration(ScriptedDataLoader { [file] _ in .bytes(file.dropLast()) }))
        await #expect(throws: ImageLoaderError.corruptImage(.toy, reason: "4799 bytes of pixels")) {
            try await loader.image(for: url)
        }
    }

    @Test func theServerIsAsked_forTheDecodersMediaTypes() async throws {
        let transport = ScriptedDataLoader()
        let loader = ImageLoader(configuration(transport))
        let image = Task { try await loader.image(for: url) }
        let call = try await transport.nextCall()
        #expect(call.request.headers["Accept"]?.hasPrefix("image/x-toy,") == true)
        call.respond(expectedBytes: file.count)
        call.send(file)
        call.finish()
        _ = try await image.value
    }

    @Test func aDecoderOfTheProgram_offersPreviews() async throws {
        let transport = ScriptedDataLoader()
        let loader = ImageLoader(configuration(transport))
        let task = loader.imageTask(for: ImageRequest(url: url))
        var previews = task.previews.makeAsyncIterator()
        let call = try await transport.nextCall()
        call.respond(expectedBytes: file.count)
        call.send(file.prefix(8 + 10 * 160))
        let preview = try #require(await previews.next())
        #expect(preview.coverage == 10.0 / 30)
        #expect(preview.bitmap[5, 5] == bitmap[5, 5])
        call.send(file.dropFirst(8 + 10 * 160))
        call.finish()
        #expect(try await task.image.bitmap == bitmap)
    }

    @Test func aTransportThatWrapsAnother_changesBodies() async throws {
        let encrypted = DecryptingDataLoader.apply(42, to: file)
        let inner = ScriptedDataLoader { _ in .bytes(encrypted) }
        let loader = ImageLoader(configuration(DecryptingDataLoader(transport: inner, key: 42)))
        #expect(try await loader.image(for: url).bitmap == bitmap)
        #expect(try await loader.data(for: ImageRequest(url: url)) == file)
    }

    @Test func anEncoderOfTheProgram_writesWhatItsDecoderReads() async throws {
        var encoder = AutomaticEncoder()
        (encoder.opaque, encoder.transparent, encoder.drawn) = (ToyEncoder(), ToyEncoder(), nil)
        let bytes = try await encoder.encode(DecodedImage(bitmap: bitmap))
        #expect(try ImageDecoders([ToyDecoder()]).decode(bytes).bitmap == bitmap)
    }

    @Test func aSinkOfTheProgram_canBeRead_toTestATransport() async throws {
        let transport = ScriptedDataLoader { _ in .bytes(Data("body".utf8), headers: ["X-Test": "1"]) }
        let sink = ResponseSink(maximumBytes: 100)
        try await transport.load(DataRequest(url: url), into: sink)
        #expect(sink.head?.status == 200)
        #expect(sink.head?.headers["x-test"] == "1")
        #expect(sink.body == Data("body".utf8))
    }
}
