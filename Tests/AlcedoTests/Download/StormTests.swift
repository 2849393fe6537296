import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// Many loads at once through a whole loader, three quarters of them cancelled at any moment of their life.
///
/// ALCEDO_STORM_LOADS is the number of loads, ALCEDO_STORM_SEED what their fates are drawn from. Each storm has a
/// process of its own, where no other test opens files or starts threads.
@Suite(.serialized, .timeLimit(.minutes(Storm.loads > 2_000 ? 60 : 5))) struct StormTests {
    @Test(arguments: RealTransport.all)
    func everyLoadEndsOnce_overKeptConnections(transport: RealTransport) async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [name = transport.testDescription as String] in
            let server = try LoopbackServer { StormSite.reply(to: $0) }
            let site = StormSite(paths: StormSite.faultyPaths) { server.url($0) }
            try await Storm(site, RealTransport.named(name), server: server).rageAndCount()
        }
        tell(result)
    }

    /// For transports that can be told to trust the server.
    @Test(.enabled(if: NginxServer.isInstalled), arguments: RealTransport.all.filter(\.keepsTrust))
    func everyLoadEndsOnce_overHTTP2(transport: RealTransport) async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [name = transport.testDescription as String] in
            let server = try NginxServer(files: StormSite.files)
            let site = StormSite(paths: ["whole", "picture"]) { server.secureURL($0) }
            var storm = try Storm(site, RealTransport.named(name))
            storm.settings.authorities = server.authority
            try await storm.rageAndCount()
        }
        tell(result)
    }

    /// What the process said: the figures, and what a sanitizer found.
    private func tell(_ result: ExitTest.Result?) {
        guard let result else { return }
        for content in [result.standardOutputContent, result.standardErrorContent] {
            print(String(decoding: content, as: UTF8.self), terminator: "")
        }
    }
}
