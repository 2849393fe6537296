import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// One URL is one image, however it is spelled.
@Suite(.timeLimit(.minutes(1))) struct URLSpellingTests {
    private let fixture: LoaderFixture
    /// The URLs that the transport was asked for.
    private let sent = Recorder<String>()

    init() throws {
        let picture = try Pictures.png(40, 30)
        fixture = try LoaderFixture(
            ScriptedDataLoader { [sent] request in
                sent.record(request.url.absoluteString)
                return request.url.path == "/missing" ? .status(404) : .bytes(picture)
            })
    }

    /// Spellings of `http://host.test/b/a.png?v=1`.
    private static let spellings = [
        "http://host.test/b/a.png?v=1", "HTTP://host.test/b/a.png?v=1", "http://HOST.Test/b/a.png?v=1",
        "http://host.test:80/b/a.png?v=1", "http://host.test:/b/./x/../a.png?v=1#top",
        "http://host.test/c/%2E%2e/b/%2e/a.png?v=1", "http://%68ost.test/b/a.png?v=1",
    ]

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func spellings_shareOneDownload_inMemoryAndOnDisk() async throws {
        let loader = fixture.makeLoader()
        for text in Self.spellings {
            _ = try await loader.image(for: url(text))
            _ = try await loader.image(for: ImageRequest(text))
        }
        #expect(fixture.transport.callCount == 1)
        #expect(sent.values == [Self.spellings[0]])
        for text in Self.spellings {
            #expect(try loader.cachedImage(for: url(text)) != nil, "\(text)")
            #expect(try loader.cachedImage(for: ImageRequest(url: url(text))) != nil, "\(text)")
            #expect(try loader.memoryCache.contains(ImageKey(url(text))), "\(text)")
            #expect(try loader.key(for: url(text)) == loader.key(for: url(Self.spellings[0])), "\(text)")
        }
        await loader.flush()
        for text in Self.spellings {
            let restarted = fixture.makeLoader()
            #expect(try await restarted.response(for: url(text)).source == .disk, "\(text)")
            #expect(try await restarted.diskCache?.contains(ImageKey(url(text))) == true, "\(text)")
            #expect(try await restarted.dataResponse(for: url(text)).source == .disk, "\(text)")
        }
        #expect(fixture.transport.callCount == 1)
    }

    @Test(arguments: spellings) func removal_findsEachSpelling(text: String) async throws {
        let loader = fixture.makeLoader()
        let other = try url("http://host.test/b/c.png")
        let removals: [@Sendable (ImageLoader, URL) async throws -> Void] = [
            { await $0.remove($1) }, { try await $0.remove(.url($1)) },
            { loader, _ in try await loader.remove(.prefix(String(text.prefix { $0 != "?" && $0 != "#" }))) },
        ]
        for remove in removals {
            for url in [try url(Self.spellings[0]), other] { _ = try await loader.image(for: url) }
            await loader.flush()
            try await remove(loader, try url(text))
            #expect(!(await loader.contains(try url(Self.spellings[0]))), "\(text)")
            #expect(await loader.contains(other), "\(text)")
        }
    }

    @Test(arguments: [
        ("HTTP://HOST.test/b", true), ("http://host.test/b/../b/a", true), ("Http://Ho", true),
        ("http://host.test/b a", false), ("http://host.test/b/.", false), ("http://host.test/b/..", false),
        ("http://host.test/b/a.png?v=1#", false), ("http://me:pw@HOST.test/", true), ("http://host.test", true),
    ])
    func prefix_isSpelledAsKeysAre(prefix: String, isFound: Bool) async throws {
        let loader = fixture.makeLoader()
        let url = try url(Self.spellings[0])
        _ = try await loader.image(for: url)
        await loader.flush()
        try await loader.remove(.prefix(prefix))
        #expect(await loader.contains(url, in: .memory) != isFound)
        #expect(await loader.contains(url, in: .disk) != isFound)
    }

    @Test func prefix_isSpelledAsKeysAre_whereTheyAreEncoded() async throws {
        let loader = fixture.makeLoader()
        for (text, prefix) in [
            ("http://host.test/a b|c.png", "http://host.test/a b"), ("http://host.test/%6Bb", "http://host.test/%6"),
            ("http://host.test/é", "http://host.test/é"), ("http://bücher.test/a", "http://bücher.test/"),
            ("http://host.test/.a", "http://host.test/."), ("http://host.test/..a", "http://host.test/.."),
        ] {
            let request = try ImageRequest(text)
            _ = try await loader.image(for: request)
            try await loader.remove(.prefix(prefix))
            #expect(!(await loader.contains(request)), "\(text)")
        }
    }

    // MARK: What was only for URLs in lower case

    @Test func cacheKeyPolicy_appliesToEachSpelling() async throws {
        var configuration = fixture.configuration
        configuration.download.cacheKeys = .droppingQueryItems(["sig"])
        let loader = ImageLoader(configuration, calls: fixture.calls)
        _ = try await loader.image(for: url("HTTP://host.test/a.png?v=1&sig=abc"))
        #expect(loader.cachedImage(for: try url("http://host.test/a.png?v=1&sig=def")) != nil)
        #expect(loader.cachedImage(for: try url("Http://HOST.test/a.png?sig=x&v=1")) != nil)
        _ = try await loader.image(for: url("http://host.test/a.png?v=1&sig=ghi"))
        #expect(fixture.transport.callCount == 1)
    }

    @Test func ownKeyThatIsAURL_isTheKeyOfThatURL() async throws {
        let loader = fixture.makeLoader()
        _ = try await loader.image(for: url("http://host.test/a.png"))
        let signed = ImageRequest(url: try url("http://host.test/x?sig=1"), cacheKey: "HTTP://HOST.test/a.png")
        #expect(loader.cachedImage(for: signed) != nil)
        // Any other key is what it is.
        #expect(ImageRequest(url: try url("http://host.test/x"), cacheKey: "A b").cacheKey == "A b")
    }

    @Test func processedImage_isStoredOnDisk() async throws {
        var configuration = fixture.configuration
        configuration.disk?.contents = .processed
        let loader = ImageLoader(configuration, calls: fixture.calls)
        var request = ImageRequest(url: try url("HTTP://host.test/a.png"))
        request.targetSize = PixelSize(width: 20, height: 20)
        _ = try await loader.image(for: request)
        await loader.flush()
        #expect(await loader.diskCache?.entries().map(\.isProcessed) == [true])
        #expect(try await ImageLoader(configuration, calls: fixture.calls).response(for: request).source == .disk)
    }

    @Test func imageStoredByHand_isFoundByEachSpelling() async throws {
        let loader = fixture.makeLoader()
        let image = DecodedImage(bitmap: try Pictures.plain(6, 4))
        try await loader.store(image, for: url("HTTP://HOST.test/a.png"), in: .all)
        try await loader.store(Pictures.png(8, 6), for: url("Http://host.test/b.png"))
        await loader.flush()
        let restarted = fixture.makeLoader()
        #expect(try await restarted.response(for: url("http://host.test/a.png")).source == .disk)
        #expect(try await restarted.response(for: url("http://host.test/b.png")).source == .disk)
        #expect(fixture.transport.callCount == 0)
    }

    /// No file is looked for, as the stages show.
    @Test func stages_areThoseOfEachSpelling() async throws {
        func stages(_ text: String) async throws -> [LoadStage] {
            let picture = try Pictures.png()
            let fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(picture) })
            let loader = fixture.makeLoader()
            _ = try await loader.image(for: url(text))
            await loader.flush()
            _ = try await fixture.makeLoader().data(for: url(text))
            return fixture.events.values.compactMap { if case .began(let stage) = $0 { stage } else { nil } }
        }
        #expect(try await stages("HTTP://host.test/a.png") == stages("http://host.test/a.png"))
    }

    /// Each is a request of its own, and so is its URL.
    @Test func fallbackAndLowResolution_areParsedToo() async throws {
        var request = ImageRequest(url: try url("http://host.test/missing"))
        request.fallbacks = [try url("HTTP://host.test:80/x/../a.png")]
        var configuration = fixture.configuration
        configuration.download.network.hosts = ["host.test"]
        let loader = ImageLoader(configuration, calls: fixture.calls)
        _ = try await loader.image(for: request)
        #expect(sent.values == ["http://host.test/missing", "http://host.test/a.png"])
        #expect(loader.cachedImage(for: try url("http://host.test/a.png")) != nil)
        request.fallbacks = [try url("HTTP://OTHER.test/a.png")]
        await #expect(throws: ImageLoaderError.destinationRefused(host: "other.test", reason: "the host isn't allowed"))
        {
            try await loader.image(for: request)
        }
        request = ImageRequest(url: try url("http://host.test/large"))
        request.lowResolution = try url("HTTP://OTHER.test/a.png")
        for try await _ in loader.responses(for: request) {}
        #expect(sent.values.last == "http://host.test/large")
    }

    // MARK: Local files

    /// Their names are bytes.
    @Test func fileWhoseNameIsNotUTF8_isLoaded() async throws {
        let bytes = Array((fixture.temporary.path + "/caf").utf8) + [0xE9] + Array(" %.png".utf8)
        let picture = try Pictures.png(5, 4)
        let file = fopen(bytes.map { CChar(bitPattern: $0) } + [0], "w")
        picture.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
        let loader = fixture.makeLoader()
        for text in [
            "file://\(fixture.temporary.path)/caf%E9%20%25.png", "FILE:\(fixture.temporary.path)/caf%e9 %.png",
        ] {
            #expect(try await loader.image(for: ImageRequest(text)).size.width == 5, "\(text)")
            #expect(try await loader.data(for: ImageRequest(text)) == picture, "\(text)")
        }
        let missing = "file://\(fixture.temporary.path)/%FF.png"
        let error = ImageLoaderError.fileUnreadable(
            path: "\(fixture.temporary.path)/\u{FFFD}.png", reason: "No such file or directory")
        await #expect(throws: error) { try await loader.image(for: ImageRequest(missing)) }
    }

    /// The system resolves them, because a folder may be a link.
    @Test func dotSegmentsOfAFile_areLeftToTheSystem() async throws {
        let (files, folder) = (FileManager.default, fixture.temporary.url)
        try files.createDirectory(at: folder.appending(path: "far/folder"), withIntermediateDirectories: true)
        try files.createSymbolicLink(
            at: folder.appending(path: "link"), withDestinationURL: folder.appending(path: "far/folder"))
        try Pictures.png(5, 4).write(to: folder.appending(path: "far/a.png"))
        let path = folder.path + "/link/../a.png"
        let loader = fixture.makeLoader()
        #expect(try await loader.image(for: URL(fileURLWithPath: path)).size.width == 5)
        #expect(try await loader.image(for: ImageRequest("file://" + path)).size.width == 5)
    }
}
