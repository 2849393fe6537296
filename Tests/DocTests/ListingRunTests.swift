import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

/// The listings do what the text beside them says.
@Suite(.timeLimit(.minutes(1))) struct ListingRunTests {
    private let bitmap: Bitmap
    private let png: Data
    private let url: URL

    init() throws {
        bitmap = try Usage.drawing()
        png = try PNGEncoder().encode(bitmap)
        url = try #require(URL(string: "http://host.test/picture.png"))
    }

    @Test func threeLines() async throws {
        // The loader of this listing is a real one: a local file keeps it away from the network and the cache.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("alcedo-\(UUID().uuidString).png")
        try png.write(to: file)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        #expect(try await Usage.threeLines(file).bitmap == bitmap)
    }

    @Test func spelling_isNormalized() throws {
        #expect(try Usage.spelling().url?.absoluteString == "https://images.example.org/photo%201.jpg")
    }

    @Test func aResponse_thenAMemoryHit() async throws {
        let loader = Usage.scripted(png)
        #expect(try await Usage.response(url, with: loader).source == .network)
        try await Usage.cancelledCall(url)
        var shown: [Bitmap] = []
        try await Usage.memoryHit(ImageRequest(url: url), with: loader) { shown.append($0.bitmap) }
        #expect(shown == [bitmap])
        #expect(try await Usage.response(url, with: loader).source == .memory)
    }

    @MainActor @Test func aSlot_drawsWhatIsInMemory() async throws {
        let loader = Usage.scripted(png)
        _ = try await loader.image(for: url)
        let canvas = RecordingCanvas()
        Views.slot(url, with: loader, on: canvas)
        #expect(canvas.drawn == [bitmap])
    }

    @MainActor private final class RecordingCanvas: Views.Canvas {
        private(set) var drawn: [Bitmap?] = []

        func draw(_ bitmap: Bitmap?, fading: Bool) { drawn.append(bitmap) }
    }

    @Test func cancelling_showsNothing() async throws {
        let transport = ScriptedDataLoader()
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        var shown = 0
        try await Usage.cancelling(url, with: ImageLoader(configuration)) { _ in shown += 1 }
        #expect(shown == 0)
    }

    @Test func errors_areToldApart() async {
        #expect(await outcomeOfErrors(answer: .bytes(png)) == ["shown"])
        #expect(await outcomeOfErrors(answer: .status(404)) == ["placeholder"])
        #expect(await outcomeOfErrors(answer: .status(500)) == ["the server answered with status 500"])
        let body = Data(count: 11)
        #expect(
            await outcomeOfErrors(answer: .bytes(body), byteLimit: 10) == ["inputBytes: 11, allowed are 10"])
    }

    @Test func oneError_isCaught_andOthersAreThrown() async throws {
        let loader = Usage.scripted(Data("no picture".utf8))
        var request = ImageRequest(url: url)
        request.readPolicy = .cachedOnly
        var placeholders = 0
        try await Usage.oneError(request, with: loader, show: { _ in }, showPlaceholder: { placeholders += 1 })
        #expect(placeholders == 1)
        request.readPolicy = .http
        do {
            try await Usage.oneError(request, with: loader, show: { _ in }, showPlaceholder: {})
            Issue.record("no error was thrown")
        } catch {
            #expect(error is ImageLoaderError)
        }
    }

    private func outcomeOfErrors(answer: ScriptedDataLoader.Answer, byteLimit: Int = 1 << 20) async -> [String] {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.download.response.maximumBytes = byteLimit
        configuration.dataLoader = ScriptedDataLoader { _ in answer }
        var outcome: [String] = []
        await Usage.errors(
            url, with: ImageLoader(configuration), show: { _ in outcome.append("shown") },
            showPlaceholder: { outcome.append("placeholder") }, log: { outcome.append($0) })
        return outcome
    }

    @Test func aTextThatIsNoPictureURL_isTold() {
        var log: [String] = []
        #expect(Usage.text("ftp://host.test/a.png") { log.append($0) } == nil)
        #expect(log == ["unsupported scheme: ftp"])
        #expect(Usage.text("http://host.test/a.png") { log.append($0) }?.url?.host == "host.test")
        #expect(log.count == 1)
    }

    @Test func theConfiguration_isWhatTheListingSays() {
        let configuration = Usage.configuration()
        #expect(configuration.memory.maximumBytes == 67_108_864)
        #expect(configuration.disk?.maximumBytes == 1_073_741_824)
        #expect(configuration.download.idleTimeout == .seconds(30))
        #expect(configuration.download.headers["accept"] == "image/jpeg, image/png")
    }

    @Test func events_removal_andBytes() async throws {
        let log = Mutex<[String]>([])
        let transport = ScriptedDataLoader { [png] _ in .bytes(png) }
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        let loader = Usage.events(configuration) { line in
            log.withLock { $0.append(line.components(separatedBy: " took ")[0]) }
        }
        let request = ImageRequest(url: url)
        _ = try await loader.image(for: request)
        let stages = ["memory", "firstByte", "download", "decode", "store"]
        #expect(log.withLock { $0 } == stages.map { "\(url.path): \($0)" })
        await Usage.removal(request, with: loader)
        await Usage.ending(loader)
        #expect(loader.cachedImage(for: request) == nil)
        #expect(try await Usage.bytes(request, with: loader) == png)
        #expect(transport.callCount == 2)
    }

    @Test func sepia_refusesStrengths_andKeepsWithinAlpha() throws {
        let blue = try Pictures.plain(1, 1, [0, 0, 255, 255])
        let context = ProcessingContext(originalSize: blue.size)
        #expect(throws: Never.self) { try Sepia().validate() }
        #expect(try Sepia(strength: 0.5).process(blue, context)[0, 0] == [47, 40, 162, 255])
        for (strength, pixel) in [(1.5, [140, 121, 0, 255]), (-1, [0, 0, 255, 255]), (.nan, [0, 0, 0, 0])]
            as [(Double, SIMD4<UInt8>)]
        {
            let sepia = Sepia(strength: strength)
            let error = ImageLoaderError.invalidProcessor("Sepia", parameter: "strength", value: "\(strength)")
            #expect(throws: error) { try sepia.validate() }
            // Also for a program that hasn't asked.
            #expect(try sepia.process(blue, context)[0, 0] == pixel)
        }
    }

    @Test func anEncodedBitmap_decodesAgain() throws {
        let encoded = try Usage.encoding(DecodedImage(bitmap: bitmap))
        #expect(try ImageDecoders.builtIn.decode(encoded.png).bitmap == bitmap)
        #expect(try ImageDecoders.builtIn.decode(encoded.jpeg).size == bitmap.size)
        #expect(bitmap[0, 0] == SIMD4(255, 0, 0, 255) && bitmap[1, 0] == SIMD4(0, 0, 0, 0))
    }

    #if os(Linux) && PNG && WebP
    @Test func anEncodedAnimation_decodesAgain() async throws {
        let chosen = try await Usage.choosing(DecodedImage(bitmap: bitmap))
        #expect(ImageFormat(sniffing: chosen.file) == .webp)
        #expect(ImageFormat(sniffing: chosen.small) == .jpeg)
        let off = try BitmapBuilder(size: bitmap.size).freeze()
        let blinking = try await Usage.animating(DecodedImage(bitmap: bitmap), bitmap, off)
        let image = try ImageDecoders.builtIn.decode(blinking[0])
        #expect(image.animation?.loopCount == .times(3))
        let files = try await Usage.animating(image, bitmap, off)
        let again = try #require(ImageDecoders.builtIn.decode(files[0]).animation)
        #expect(again.delays == [.milliseconds(500), .milliseconds(500)])
        #expect(try await again.frame(at: 0) == bitmap)
        #expect(try await again.frame(at: 1) == off)
    }
    #endif
}
