import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

/// The listings about downloads do what the text beside them says.
@Suite(.timeLimit(.minutes(1))) struct DownloadListingTests {
    private let png: Data
    private let url: URL
    private let mirror: URL

    init() throws {
        png = try PNGEncoder().encode(try Usage.drawing())
        url = try #require(URL(string: "http://host.test/picture.png"))
        mirror = try #require(URL(string: "http://mirror.test/picture.png"))
    }

    private func loader(
        _ configuration: ImageLoader.Configuration = .init(), _ transport: ScriptedDataLoader
    ) -> ImageLoader {
        var configuration = configuration
        configuration.disk = nil
        configuration.dataLoader = transport
        return ImageLoader(configuration)
    }

    @Test func aRequestWithOptions_isSentWithThem_toTheMirrorWithoutItsPassword() async throws {
        let sent = Mutex<[DataRequest]>([])
        let transport = ScriptedDataLoader { [png, mirror] request in
            sent.withLock { $0.append(request) }
            return request.url == mirror ? .bytes(png) : .status(404)
        }
        _ = try await loader(.init(), transport).image(for: Downloads.request(url, mirror: mirror, token: "t"))
        let requests = sent.withLock { $0 }
        #expect(requests.map(\.url) == [url, mirror])
        for request in requests {
            #expect(request.headers["Accept-Language"] == "de")
            #expect(request.headers["Cache-Control"] == "no-cache")
        }
        #expect(requests.map { $0.headers["Authorization"] } == ["Basic bWU6dA==", nil])
    }

    @Test func bytesOfTheProgram_areLocalPictures() async throws {
        let loader = loader(.init(), ScriptedDataLoader { _ in .status(404) })
        let picture = DecodedImage(bitmap: try Pictures.gradient(8, 6))
        for request in Downloads.sources(png, picture, fetch: { [png] in png }) {
            #expect(try await loader.response(for: request).source == .local)
        }
    }

    @Test func settings_changeWhileALoaderWorks_andItsCachesAreSharedByLanguages() async throws {
        let sent = Mutex<[String?]>([])
        let transport = ScriptedDataLoader { [png] request in
            sent.withLock { $0.append(request.headers["Accept-Language"]) }
            return .bytes(png)
        }
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        let loader = ImageLoader(configuration)
        try await Downloads.change(loader)
        let german = Downloads.german(configuration, loader)
        for loader in [loader, german, loader, german] { _ = try await loader.image(for: url) }
        #expect(sent.withLock { $0 } == [nil, "de"])
        #expect(loader.memoryCache.statistics.count == 2)
    }

    @Test func aTask_tellsItsProgress_andBringsThePicture() async throws {
        let loader = loader(.init(), ScriptedDataLoader { [png] _ in .bytes(png) })
        var log: [String] = []
        let image = try await Downloads.task(ImageRequest(url: url), with: loader) { log.append($0) }
        #expect(image.size == PixelSize(width: 2, height: 1))
        #expect(log.last == "\(png.count) of \(png.count) bytes")
    }

    @Test func theSettings_areWhatTheListingSays() async throws {
        let configuration = Downloads.settings { "secret" }
        #expect(configuration.download.retry.attempts == 5)
        let sent = Mutex<[String?]>([])
        let transport = ScriptedDataLoader { [png] request in
            sent.withLock { $0.append(request.headers["X-Token"]) }
            return .bytes(png, headers: ["Content-Type": "image/png"])
        }
        let loader = loader(configuration, transport)
        let request = ImageRequest(url: url)
        _ = try await loader.image(for: request)
        #expect(sent.withLock { $0 } == ["secret"])
        try await Downloads.control(request, with: loader, origin: url)
        #expect(await loader.downloads.statistics.succeeded == 1)
    }

    @Test func theServersConfiguration_makesALoader() async throws {
        #expect(try await Downloads.server().response(for: ImageRequest(data: png, id: "a")).source == .local)
    }

    /// The loader allows the origin; nobody answers at its name, which is no address that is refused.
    @Test func anInternalOrigin_isAllowed_andNoOtherScheme() async throws {
        let loader = Downloads.internalOrigin()
        let file = URL(filePath: "/etc/hostname")
        let error = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: file) }
        #expect(error?.kind == .destinationRefused)
    }

    @Test func allowedHosts_areLoaded_andNoOthers() async throws {
        var configuration = ImageLoader.Configuration()
        Downloads.allowedHosts(&configuration)
        let loader = loader(configuration, ScriptedDataLoader { [png] _ in .bytes(png) })
        for (text, isAllowed) in [
            ("https://images.example.org/a.png", true), ("https://a.cdn.example.org/a.png", true),
            ("http://images.example.org/a.png", false), ("https://example.org/a.png", false),
        ] {
            let image = ImageRequest(url: try #require(URL(string: text)))
            if isAllowed {
                _ = try await loader.image(for: image)
            } else {
                let error = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: image) }
                #expect(error?.kind == .destinationRefused)
            }
        }
    }

    @Test func theHookForCredentials_suppliesThemToItsOriginOnly() async throws {
        var configuration = ImageLoader.Configuration()
        Downloads.authentication(&configuration) { refused in refused == nil ? "one" : "two" }
        let transport = ScriptedDataLoader { [png] request in
            request.headers["Authorization"] == "Bearer one" ? .bytes(png) : .status(401)
        }
        let loader = loader(configuration, transport)
        _ = try await loader.image(for: try #require(URL(string: "https://images.example.org/a.png")))
        await #expect(throws: ImageLoaderError.badStatus(401)) { try await loader.image(for: url) }
    }

    @Test func urlSession_isTheTransport() {
        #expect(Downloads.urlSession().dataLoader is URLSessionDataLoader)
    }

    /// In a process of its own, as it is the whole process that ignores the signal.
    @Test func aProgramThatIgnoresTheSignal_outlivesAClosedPipe() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            Downloads.ignorePipeSignal()
            let pipe = Pipe()
            try pipe.fileHandleForReading.close()
            #expect(throws: (any Error).self) { try pipe.fileHandleForWriting.write(contentsOf: Data("a".utf8)) }
        }
    }

    #if os(Linux) && Curl
    @Test func curl_takesAuthorities() {
        var configuration = ImageLoader.Configuration()
        let settings = Downloads.authorities(&configuration)
        #expect(settings.insecureHostsWithUncheckedCertificates == ["localhost"])
        #expect(configuration.dataLoader is CurlDataLoader)
        var other = TransportSettings()
        Downloads.clientCertificate(&other, password: "p")
        #expect(other.clientCertificate?.hosts == ["images.internal"])
    }
    #endif
}
