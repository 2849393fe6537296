import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The options of the network, which commands share.
@Suite(.timeLimit(.minutes(1))) struct CommandNetworkTests {
    enum Kind: CaseIterable {
        case load, probe, prefetch

        func run(_ fixture: LoadFixture, _ urls: [String], _ options: [String]) async throws -> Int32 {
            switch self {
            case .load: try await fixture.load(urls + options)
            case .probe: try await fixture.probe(urls + options)
            case .prefetch: try await fixture.prefetch(urls, options)
            }
        }
    }

    @Test(arguments: [Kind.load, .probe]) func networkOptions_reachTheServer(_ kind: Kind) async throws {
        let fixture = try LoadFixture { _ in .manual }
        let options = ["--retries", "0", "--header", "X-A: b", "--header=X-A:  c ", "--user-agent", "tests/1"]
        async let code = kind.run(fixture, [fixture.url("/a.png")], options)
        let exchange = try await fixture.server.nextRequest()
        #expect(exchange.request.headers.values(of: "X-A") == ["b", "c"])
        #expect(exchange.request.headers.values(of: "User-Agent") == ["tests/1"])
        exchange.reply(.status(503))
        #expect(try await code == 1)
        #expect(fixture.server.statistics.requests == 1)
    }

    @Test(arguments: [Kind.load, .probe]) func timeout_endsAServerThatSaysNothing(_ kind: Kind) async throws {
        let fixture = try LoadFixture { _ in .manual }
        #expect(try await kind.run(fixture, [fixture.url("/a.png")], ["--timeout", "0.05", "--retries", "0"]) == 1)
        #expect(fixture.errorLines.count == 1)
        #expect(fixture.errorLines.first?.contains("timed out") == true)
    }

    /// More downloads than the default from one host.
    @Test(arguments: Kind.allCases, [1, 9]) func jobs_areTheLoadsAtOnce(_ kind: Kind, _ jobs: Int) async throws {
        let fixture = try LoadFixture { _ in .manual }
        let urls = (0..<10).map { fixture.url("/\($0).png") }
        async let code = kind.run(fixture, urls, ["--jobs", "\(jobs)"])
        let png = try Pictures.png()
        var exchanges: [LoopbackServer.Exchange] = []
        for _ in 0..<jobs { exchanges.append(try await fixture.server.nextRequest()) }
        if kind == .probe {
            // The next begins when the first in the order of the URLs has ended, which may be any of these.
            for exchange in exchanges { exchange.reply(.bytes(png)) }
            exchanges = []
        }
        for _ in jobs..<10 {
            if !exchanges.isEmpty { exchanges.removeFirst().reply(.bytes(png)) }
            exchanges.append(try await fixture.server.nextRequest())
        }
        for exchange in exchanges { exchange.reply(.bytes(png)) }
        #expect(try await code == 0)
        if kind == .probe { #expect(fixture.outputLines.filter { !$0.hasPrefix(" ") } == urls) }
        #expect(fixture.server.statistics.peakActiveRequests == jobs)
    }
}
