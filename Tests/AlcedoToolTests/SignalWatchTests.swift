import Foundation
import Testing

@testable import AlcedoTool

/// Each runs in its own process, because signals are the whole process's.
@Suite(.timeLimit(.minutes(1))) struct SignalWatchTests {
    @Test func firstSignal_isTold_andTheSecondEndsTheProgram() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
            SignalWatch.start(ending: [SIGINT, SIGTERM], others: []) { continuation.yield($0) }
            var told = signals.makeAsyncIterator()
            kill(getpid(), SIGINT)
            #expect(await told.next() == SIGINT)
            kill(getpid(), SIGINT)
            _ = await told.next()
        }
    }

    @Test func otherSignals_areToldEachTime() async {
        await #expect(processExitsWith: .success) {
            let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
            SignalWatch.start(ending: [SIGTERM], others: [SIGWINCH]) { continuation.yield($0) }
            var told = signals.makeAsyncIterator()
            for signal in [SIGWINCH, SIGWINCH, SIGTERM, SIGWINCH] {
                kill(getpid(), signal)
                let number = await told.next()
                if number != signal { exit(1) }
            }
        }
    }

    @Test func ignoredSignal_remainsIgnored() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
            SignalWatch.start(ending: [SIGHUP, SIGTERM], others: []) { continuation.yield($0) }
            var told = signals.makeAsyncIterator()
            kill(getpid(), SIGHUP)
            kill(getpid(), SIGTERM)
            let number = await told.next()
            if number != SIGTERM { exit(1) }
        }
    }
}
