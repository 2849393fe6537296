import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Bodies that are received into files.
@Suite(.timeLimit(.minutes(1))) struct LargeBodyTests {
    private let server: LoopbackServer
    private let png: Data
    private let fixture: LoaderFixture

    init() throws {
        server = try LoopbackServer()
        png = try PNGEncoder().encode(Pictures.noise(150, 100, seed: 1))
        var fixture = try LoaderFixture(ScriptedDataLoader())
        fixture.configuration.dataLoader = nil
        fixture.configuration.download.maximumBytesInMemory = 10_000
        self.fixture = fixture
        // As a store has left it.
        let directory = fixture.temporary.url.appendingPathComponent("cache/temporary")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private var entries: [String] {
        get throws {
            try fixture.temporary.names(in: "cache/entries").map { fixture.temporary.file("cache/entries/" + $0) }
        }
    }

    /// The bytes written to the disk cache besides those that arrived.
    private var copiedBytes: Int {
        fixture.calls.calls.filter { $0.call == .writev && $0.path.contains("/temporary/") }.reduce(0) {
            $0 + $1.byteCount
        }
    }

    @Test(arguments: [true, false])
    func fileOfPicture_becomesTheEntry_withoutACopy(hasLength: Bool) async throws {
        server.enqueue(hasLength ? .bytes(png) : .bytes(png).chunked())
        let request = ImageRequest(url: server.url("/a"))
        let loader = fixture.makeLoader()
        let image = try await loader.image(for: request)
        #expect(image.bitmap == (try await fixture.decoded(png)))
        await loader.close()
        #expect(copiedBytes > 0 && copiedBytes < 2_000)
        #expect(fixture.calls.count(of: .link) == 1)
        #expect(try entries.map { try Data(contentsOf: URL(fileURLWithPath: $0)).prefix(png.count) } == [png])
        #expect(try fixture.temporary.names(in: "cache/temporary").isEmpty)

        let response = try await fixture.makeLoader().response(for: request)
        #expect(response.source == .disk && response.image.bitmap == image.bitmap)
        #expect(server.statistics.requests == 1 && fixture.cacheFailures.isEmpty)
    }

    @Test func bytesHandedOut_areNotCutWithTheEntry() async throws {
        server.enqueue(.bytes(png))
        let loader = fixture.makeLoader()
        let bytes = try await loader.data(for: ImageRequest(url: server.url("/a")))
        await loader.flush()
        let entry = try #require(try entries.first)
        #expect(truncate(entry, 0) == 0)
        #expect(bytes == png)
        await loader.close()
        #expect(bytes == png)
    }

    @Test func sizesOfOnePicture_shareItsFile() async throws {
        server.enqueue(.bytes(png).stalling(.afterBytes(png.count - 1)))
        let loader = fixture.makeLoader()
        let sizes = [150, 90, 60, 30].map { PixelSize(width: $0, height: $0 * 2 / 3) }
        let loads = sizes.map { size in
            var request = ImageRequest(url: server.url("/a"))
            request.targetSize = size
            return Task { [request] in try await loader.image(for: request) }
        }
        _ = try await server.until { $0.requests == 1 }
        await fixture.untilCoalesced(3)
        server.releaseStalled()
        for (load, size) in zip(loads, sizes) { #expect(try await load.value.size.width == size.width) }
        await loader.close()
        #expect(server.statistics.requests == 1)
        #expect(try entries.count >= 1)
    }

    @Test func whatMustNotBeStored_staysInMemory() async throws {
        server.enqueue(.bytes(png).header("Cache-Control", "no-store"))
        let loader = fixture.makeLoader()
        #expect(try await loader.data(for: ImageRequest(url: server.url("/a"))) == png)
        await loader.close()
        #expect(!fixture.calls.calls.contains { $0.call == .writev && $0.path.hasSuffix("/temporary") })
    }

    @Test(arguments: [SystemCall.open, .writev])
    func fileThatCannotBeWritten_leavesTheBodyInMemory_andIsReported(call: SystemCall) async throws {
        server.enqueue(.bytes(png).chunked(1_000))
        fixture.calls.fail(call, on: "/temporary", with: ENOSPC)
        let loader = fixture.makeLoader()
        let image = try await loader.image(for: server.url("/a"))
        #expect(image.bitmap == (try await fixture.decoded(png)))
        await loader.close()
        #expect(fixture.cacheFailures.contains { $0.operation == .write && $0.path.hasSuffix("/temporary") })
    }

    @Test(arguments: [EOPNOTSUPP, EPERM, EXDEV])
    func fileThatGetsNoName_isCopied(code: Int32) async throws {
        server.enqueue(.bytes(png))
        fixture.calls.fail(.link, on: "/temporary/", with: code)
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: server.url("/a"))
        await loader.close()
        let again = try await fixture.makeLoader().response(for: ImageRequest(url: server.url("/a")))
        #expect(again.source == .disk && fixture.cacheFailures.isEmpty)
        #expect(copiedBytes > png.count)
    }

    @Test func directoryThatIsNotThereYet_isNoFailure() async throws {
        server.enqueue(.bytes(png))
        try FileManager.default.removeItem(at: fixture.temporary.url.appendingPathComponent("cache"))
        let loader = fixture.makeLoader()
        #expect(try await loader.data(for: ImageRequest(url: server.url("/a"))) == png)
        await loader.close()
        #expect(try entries.count == 1 && fixture.cacheFailures.isEmpty)
    }

    @Test func withoutADiskCache_aTemporaryFileIsUsed() async throws {
        var configuration = fixture.configuration
        configuration.disk = nil
        server.enqueue(.bytes(png))
        let loader = ImageLoader(configuration)
        #expect(try await loader.image(for: server.url("/a")).bitmap == (try await fixture.decoded(png)))
        #expect(fixture.cacheFailures.isEmpty)
    }

    @Test func damagedPicture_isNotStored() async throws {
        server.enqueue(.bytes(Data("no picture".utf8) + png))
        let loader = fixture.makeLoader()
        await #expect(throws: ImageLoaderError.self) { try await loader.image(for: server.url("/a")) }
        await loader.close()
        #expect(try entries.isEmpty && fixture.temporary.names(in: "cache/temporary").isEmpty)
    }

    @Test func interruptedBody_isContinuedInItsFile() async throws {
        let resumable: HTTPHeaders = ["ETag": "\"v1\"", "Accept-Ranges": "bytes"]
        var first = LoopbackServer.Reply.bytes(png)
        for field in resumable { first = first.header(field.name, field.value) }
        server.enqueue(first.truncating(.afterBytes(20_000)))
        var rest = LoopbackServer.Reply(status: 206, headers: resumable, body: png.dropFirst(20_000))
        rest.headers["Content-Range"] = "bytes 20000-\(png.count - 1)/\(png.count)"
        server.enqueue(rest)
        var fixture = fixture
        fixture.configuration.download.retry = .atOnce()
        let loader = fixture.makeLoader()
        let image = try await loader.image(for: server.url("/a"))
        #expect(image.bitmap == (try await fixture.decoded(png)))
        #expect(await loader.downloads.statistics.resumed == 1)
        await loader.close()
        #expect(fixture.calls.count(of: .link) == 1 && copiedBytes < 2_000)
    }
}

extension LoaderFixture {
    /// The pixels of a file.
    fileprivate func decoded(_ file: Data) async throws -> Bitmap {
        try await ImageLoader(configuration).image(for: ImageRequest(data: file, id: "reference")).bitmap
    }
}
