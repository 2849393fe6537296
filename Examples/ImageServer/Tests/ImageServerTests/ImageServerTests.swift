import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// Tests of the server as a process, with nginx as the origin.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ImageServerTests {
    private let temporary: TemporaryDirectory
    private let origin: Origin
    private let server: ServerProcess

    init() async throws {
        temporary = try TemporaryDirectory()
        let png = try Pictures.png(width: 80, height: 40)
        origin = try Origin([
            "a.png": png, "stale.png": png, "private.png": png, "plain.png": png,
            "text.png": Data("no image".utf8),
        ])
        server = try await ServerProcess(
            cache: temporary.url,
            ["ALLOWED_ORIGINS": origin.origin, "PRESETS": "thumb=w:20,h:20,fit:crop,f:png,q:70;wide=w:60"])
    }

    private func size(of file: Data) throws -> PixelSize {
        try ImageDecoders.builtIn.decode(file, DecodeRequest()).size
    }

    @Test func image_hasItsSizeAndFormat() async throws {
        for (options, accept, type, size) in [
            ("w:40", "image/webp", "image/webp", PixelSize(width: 40, height: 20)),
            ("h:10,f:jpeg,q:60", "image/webp", "image/jpeg", PixelSize(width: 20, height: 10)),
            ("w:30,h:30,fit:crop,focus:0.2x0.5,f:png", "*/*", "image/png", PixelSize(width: 30, height: 30)),
            ("w:10,h:20,fit:fill,focus:attention,f:webp", "", "image/webp", PixelSize(width: 40, height: 20)),
            ("thumb", "image/webp", "image/png", PixelSize(width: 20, height: 20)),
            ("-", "image/jpeg", "image/png", PixelSize(width: 80, height: 40)),
        ] {
            let answer = try await server.get(server.url(options, of: origin.url("a.png")), ["Accept": accept])
            #expect(answer.status == 200 && answer["Content-Type"] == type, "\(options)")
            #expect(try self.size(of: answer.body) == size, "\(options)")
            let isChosen = options.contains("f:") || options == "thumb"
            #expect(answer["Vary"] == (isChosen ? nil : "Accept"))
        }
    }

    @Test func fields_followTheSource() async throws {
        let url = try server.url("wide", of: origin.url("a.png"))
        let first = try await server.get(url)
        let life = try #require(first["Cache-Control"])
        #expect(life.contains("max-age=") && life.contains("stale-if-error=600"), "\(life)")
        let tag = try #require(first["ETag"])
        let unmodified = try await server.get(url, ["If-None-Match": tag])
        #expect(unmodified.status == 304 && unmodified.body.isEmpty)
        #expect(unmodified["ETag"] == tag)
        let ofOne = try await server.get(server.url("wide", of: origin.url("private.png")))
        #expect(ofOne["Cache-Control"]?.contains("private") == true)
    }

    @Test func refusals_haveTheirStatus() async throws {
        let loopback = try #require(URL(string: "http://127.0.0.1:\(server.port)/metrics"))
        let file = try #require(URL(string: "file:///etc/passwd"))
        let signed = try server.url("w:40", of: origin.url("a.png"))
        let forged = try #require(URL(string: signed.absoluteString.replacing("/w:40/", with: "/w:41/")))
        for (url, status) in [
            (forged, 403), (try server.url("w:40", of: loopback), 403), (try server.url("w:40", of: file), 403),
            (try server.url("w:0", of: origin.url("a.png")), 400),
            (try server.url("w:9,fit:crop", of: origin.url("a.png")), 400),
            (try server.url("fit:crop", of: origin.url("a.png")), 400),
            (try server.url("w:9,h:9,fit:crop,focus:0.3xax0.5", of: origin.url("a.png")), 400),
            (try server.url("none", of: origin.url("a.png")), 400),
            (try server.url("w:40", of: origin.url("missing.png")), 404),
            (try server.url("w:40", of: origin.url("text.png")), 415), (try server.url("/none"), 404),
        ] {
            let answer = try await server.get(url)
            #expect(answer.status == status, "\(url)")
            #expect(!String(decoding: answer.body, as: UTF8.self).contains("127.0.0.1"))
            #expect(answer["Cache-Control"]?.contains("max-age=600") != true)
        }
    }

    @Test func staleImage_isServed_whenTheOriginIsDown() async throws {
        let url = try server.url("w:40", of: origin.url("stale.png"))
        let before = try await server.get(url)
        origin.stop()
        let after = try await server.get(url)
        #expect(after.status == 200 && after.body == before.body)
        let other = try await server.get(server.url("w:41", of: origin.url("stale.png")))
        #expect(other.status == 502)
    }

    @Test func metrics_countResponsesAndStages() async throws {
        _ = try await server.get(server.url("wide", of: origin.url("a.png")))
        _ = try await server.get(server.url("wide", of: origin.url("missing.png")))
        let answer = try await server.get(server.url("/metrics"))
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        #expect(answer.status == 200)
        #expect(lines.contains("image_server_responses_total{status=\"404\"} 1"))
        #expect(lines.contains("alcedo_encode_seconds_count 1") && lines.contains("alcedo_downloads_succeeded_total 1"))
        #expect(try await server.get(server.url("/health")).status == 200)
    }

    @Test func connection_staysOpen_forTheNextRequest() async throws {
        let url = try server.url("w:40", of: origin.url("a.png")).absoluteString
        let (curl, output) = (Process(), Pipe())
        curl.executableURL = URL(filePath: "/usr/bin/env")
        let each = ["-o", "/dev/null", url]
        curl.arguments = ["curl", "-s", "-w", "%{http_code} over %{num_connects} new, "] + each + each + each
        curl.standardOutput = output
        try curl.run()
        let text = try await Task.detached { try output.fileHandleForReading.readToEnd() }.value
        curl.waitUntilExit()
        #expect(text.map { String(decoding: $0, as: UTF8.self) } == "200 over 1 new, 200 over 0 new, 200 over 0 new, ")
    }

    @Test func clientThatLeaves_cancelsTheDownload() async throws {
        let slow = try LoopbackServer()
        let server = try await ServerProcess(
            cache: temporary.url, ["ALLOWED_ORIGINS": "http://127.0.0.1:\(slow.port)"])
        let url = try server.url("w:40", of: slow.url("/slow.png"))
        let client = Task { try await server.get(url) }
        let exchange = try await slow.nextRequest()
        exchange.sendHead(length: 1_000)
        client.cancel()
        let start = ContinuousClock.now
        #expect(try await exchange.connectionClosed() == .byClient)
        #expect(ContinuousClock.now - start < .seconds(20), "the deadline ended the download")
    }

    @Test func requestAboveTheLimit_isAnsweredWithRetryAfter() async throws {
        let slow = try LoopbackServer()
        let server = try await ServerProcess(
            cache: temporary.url, ["ALLOWED_ORIGINS": "http://127.0.0.1:\(slow.port)", "MAXIMUM_LOADS": "1"])
        let url = try server.url("w:40", of: slow.url("/slow.png"))
        async let first = server.get(url)
        let exchange = try await slow.nextRequest()
        let refused = try await server.get(server.url("w:41", of: slow.url("/other.png")))
        #expect(refused.status == 503 && refused["Retry-After"] == "1" && refused["Cache-Control"] == "no-store")
        let png = try Pictures.png(width: 80, height: 40)
        exchange.sendHead(length: png.count)
        exchange.send(png)
        #expect(try await first.status == 200)
    }

    @Test func environment_limitsHostsAndSides_andChoosesLifetimes() async throws {
        let server = try await ServerProcess(
            cache: temporary.url,
            [
                "ALLOWED_ORIGINS": origin.origin, "ALLOWED_HOSTS": "127.0.0.1", "MAXIMUM_SIDE": "50",
                "DEFAULT_MAX_AGE": "7",
            ])
        let other = try #require(URL(string: "http://example.com/a.png"))
        #expect(try await server.get(server.url("w:40", of: other)).status == 403)
        #expect(try await server.get(server.url("w:51", of: origin.url("a.png"))).status == 400)
        let plain = try await server.get(server.url("w:40", of: origin.url("plain.png")))
        #expect(plain.status == 200 && plain["Cache-Control"] == "public, max-age=7")
    }

    @Test func termination_waitsForRequests() async throws {
        let slow = try LoopbackServer()
        let server = try await ServerProcess(
            cache: temporary.url, ["ALLOWED_ORIGINS": "http://127.0.0.1:\(slow.port)"])
        let url = try server.url("w:40", of: slow.url("/slow.png"))
        async let answer = server.get(url)
        let exchange = try await slow.nextRequest()
        server.terminate()
        let png = try Pictures.png(width: 80, height: 40)
        exchange.sendHead(length: png.count)
        exchange.send(png)
        #expect(try await answer.status == 200)
        #expect(server.end() == 0)
    }

    @Test func faultyEnvironment_endsTheServer() async throws {
        for (name, value) in [
            ("SIGNING_KEY", "short"), ("PORT", "many"), ("PRESETS", "a=w:0"), ("PRESETS", "a"), ("MAXIMUM_SIDE", "0"),
            ("ALLOWED_ORIGINS", "10.0.0.5:9000"), ("ALLOWED_HOSTS", "http://host"),
        ] {
            let failure = await #expect(throws: ServerProcess.Failure.self, "\(name)") {
                try await ServerProcess(cache: temporary.url, [name: value])
            }
            #expect(failure?.log.contains(name) == true && failure?.status == 78)
        }
    }
}
