#if os(Linux) && Curl
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The transport's loop, when it starts with all its commands.
@Suite(.timeLimit(.minutes(1))) struct CurlLoopTests {
    /// A loop with one connection per host.
    private struct Trial {
        private let mailbox = CurlMailbox()
        private let ended = Recorder<Bool>()

        func start(_ url: URL, headers: HTTPHeaders = [:]) -> TransportLoad {
            let request = DataRequest(url: url, headers: headers, idleTimeout: .seconds(3_600))
            let load = TransportLoad(request, ResponseSink(maximumBytes: 100))
            _ = mailbox.post(.start(load))
            return load
        }

        /// Performs the commands, and returns when all loads have ended.
        func run() async throws {
            mailbox.close()
            var settings = TransportSettings()
            settings.maximumConnectionsPerHost = 1
            let isRunning = SystemThread.start("alcedo.curl") { [mailbox, settings, ended] in
                CurlLoop(mailbox, settings).run()
                ended.record(true)
            }
            try #require(isRunning)
            await ended.wait { !$0.isEmpty }
        }
    }

    /// Runs in its own process, which a stack that is too deep would end.
    @Test func waitingTransfersThatCannotStart_endOneAfterAnother() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .bytes(Data("first".utf8)) }
            let trial = Trial()
            let first = trial.start(server.url("/a"))
            let others = (0..<12_000).map { _ in trial.start(server.url("/b"), headers: ["X": "1\n2"]) }
            let last = trial.start(server.url("/c"))
            try await trial.run()
            for load in [first, last] { try await load.outcome.get() }
            for load in others {
                let outcome = await load.outcome
                guard case .failure(.invalidHeader("X")) = outcome else { throw UnexpectedOutcome() }
            }
            try #require(server.statistics.requests == 2)
        }
    }

    private struct UnexpectedOutcome: Error {}

    /// Each request would have its own connection.
    @Test func cancelledTransferThatWaits_isNeverLaunched() async throws {
        let server = try LoopbackServer { _ in .bytes(Data("body".utf8)).closing() }
        let trial = Trial()
        let first = trial.start(server.url("/first"))
        let cancelled = trial.start(server.url("/cancelled"))
        let last = trial.start(server.url("/last"))
        server.handle("/first") { _ in
            // The command to stop it is still to come when it would get the slot.
            cancelled.end(.failure(.cancelled))
            return .bytes(Data("body".utf8)).closing()
        }
        try await trial.run()
        for load in [first, last] { try await load.outcome.get() }
        #expect(server.statistics.requestsByPath == ["/first": 1, "/last": 1])
        #expect(server.statistics.connectionsAccepted == 2)
    }
}

extension TransportLoad {
    /// The outcome of a load that has ended.
    fileprivate var outcome: Outcome {
        get async { await withUnsafeContinuation { _ = begin(resuming: $0) } }
    }
}
#endif
