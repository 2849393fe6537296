import AlcedoTestSupport
import Foundation
import Testing

/// In a process that leaves SIGPIPE at its default, which ends the process.
@Suite(.timeLimit(.minutes(3))) struct ServerSignalTests {
    /// A call that comes while the server's thread closes its descriptors must not write to a pipe without a reader.
    @Test func callsDuringTheStop_endNoProcess() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            for round in 0..<2_000 {
                let server = try LoopbackServer()
                server.stop()
                for _ in 0..<round % 100 { sched_yield() }
                server.releaseStalled()
                server.stop()
                try await server.untilStopped()
            }
        }
    }
}
