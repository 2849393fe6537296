import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Many loads at once through a whole loader, three quarters of them cancelled at a random moment.
///
/// ALCEDO_STORM_LOADS is the number of loads, and ALCEDO_STORM_SEED the seed. Each storm runs in its own process,
/// where no other test opens files or starts threads.
@Suite(.serialized, .timeLimit(.minutes(Storm.loads > 2_000 ? 60 : 5))) struct StormTests {
    @Test(arguments: RealTransport.all)
    func load_endsOnce_overReusedConnections(transport: RealTransport) async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [name = transport.testDescription as String] in
            let server = try LoopbackServer { StormSite.reply(to: $0) }
            let site = StormSite(paths: StormSite.faultyPaths) { server.url($0) }
            try await Storm(site, RealTransport.named(name), server: server).runAndCount()
        }
        printOutput(of: result)
    }

    /// For transports that can be configured to trust the server.
    @Test(.enabled(if: NginxServer.isInstalled), arguments: RealTransport.all.filter(\.keepsTrust))
    func load_endsOnce_overHTTP2(transport: RealTransport) async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [name = transport.testDescription as String] in
            let server = try NginxServer(files: StormSite.files)
            let site = StormSite(paths: ["whole", "picture"]) { server.secureURL($0) }
            var storm = try Storm(site, RealTransport.named(name))
            storm.settings.authorities = server.authority
            try await storm.runAndCount()
        }
        printOutput(of: result)
    }

    /// Prints what the process printed: the figures, and the findings of a sanitizer.
    private func printOutput(of result: ExitTest.Result?) {
        guard let result else { return }
        for content in [result.standardOutputContent, result.standardErrorContent] {
            print(String(decoding: content, as: UTF8.self), terminator: "")
        }
    }
}
