import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// The transport of a loader that is given none.
@Suite(.timeLimit(.minutes(1))) struct DefaultTransportTests {
    #if os(Linux) && Curl
    @Test func defaultTransport_isLibcurl() {
        #expect(DefaultDataLoader.make() is CurlDataLoader)
        #expect(ImageLoader.Configuration().dataLoader == nil)
    }

    /// The responses that end a process through URLSession, in a process of its own.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775296\r\n\r\nabc",
        "HTTP/1.1 302 Found\r\nLocation: //%00\r\nContent-Length: 0\r\n\r\n",
    ])
    func responseFatalToURLSession_isAnError(response: String) async {
        await #expect(processExitsWith: .success) { [response] in
            let server = try LoopbackServer { _ in .raw(Data(response.utf8)) }
            let loader = DefaultTransportTests.makeLoader()
            await #expect(throws: ImageLoaderError.self) { try await loader.image(for: server.url("/a.png")) }
            #expect(server.statistics.requests == 1)
        }
    }

    @Test func chunkedBodyWithTrailerFields_isLoaded() async {
        await #expect(processExitsWith: .success) {
            let png = try Pictures.png()
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(png.count, radix: 16))\r\n"
            let response = Data(head.utf8) + png + Data("\r\n0\r\nX-Sum: 1\r\n\r\n".utf8)
            let server = try LoopbackServer { _ in .raw(response) }
            let image = try await DefaultTransportTests.makeLoader().image(for: server.url("/a.png"))
            #expect(image.size == PixelSize(width: 8, height: 6))
        }
    }

    /// In a process of its own, where no other test opens files.
    @Test func idleLoaders_startNoThreads_andOpenNoFiles() async {
        await #expect(processExitsWith: .success) {
            func count(_ folder: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
            }
            var loaders = [ImageLoader()]
            let before = (threads: try count("task"), descriptors: try count("fd"))
            for _ in 0..<1_000 { loaders.append(ImageLoader()) }
            // The pool may get its own threads and descriptors meanwhile.
            #expect(try count("task") < before.threads + 100)
            #expect(try count("fd") < before.descriptors + 100)
            #expect(loaders.count == 1_001)
        }
    }
    #else
    @Test func defaultTransport_isURLSession() {
        #expect(DefaultDataLoader.make() is URLSessionDataLoader)
    }
    #endif

    private static func makeLoader() -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.download.retry = .none
        return ImageLoader(configuration)
    }
}
