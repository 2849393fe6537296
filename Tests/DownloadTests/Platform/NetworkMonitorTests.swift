import Alcedo
import Testing

@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct NetworkMonitorTests {
    @Test func watch_lastsFromTheFirstWaiter_toTheLast() async {
        let network = ScriptedNetwork()
        #expect(network.watches.values == [])
        let first = network.monitor.join()
        let second = network.monitor.join()
        #expect(network.watches.values == [true])
        network.monitor.leave(first)
        #expect(network.watches.values == [true])
        network.monitor.leave(second)
        #expect(network.watches.values == [true, false])
        let third = network.monitor.join()
        #expect(network.watches.values == [true, false, true])
        network.monitor.leave(third)
        #expect(network.watches.values == [true, false, true, false])
    }

    @Test func offline_isKnown_onlyWhileItIsWatched() {
        let network = ScriptedNetwork(isConnected: nil)
        #expect(!network.monitor.isOffline)
        let waiter = network.monitor.join()
        #expect(!network.monitor.isOffline)
        network.report(false)
        #expect(network.monitor.isOffline)
        network.report(true)
        #expect(!network.monitor.isOffline)
        network.report(false)
        network.monitor.leave(waiter)
        #expect(!network.monitor.isOffline)
        // A late report.
        network.report(false)
        #expect(!network.monitor.isOffline)
    }

    @Test func everyWaiter_isResumed_whenTheNetworkIsBack() async {
        let network = ScriptedNetwork()
        let waiters = (0..<3).map { _ in network.monitor.join() }
        for waiter in waiters { #expect(await !waiter.isConnected()) }
        async let one = waiters[0].untilConnected()
        async let other = waiters[1].untilConnected()
        network.report(true)
        #expect(await one)
        #expect(await other)
        // It was connected for a moment that this waiter didn't see.
        network.report(false)
        #expect(await waiters[2].untilConnected())
        let late = network.monitor.join()
        #expect(await !late.isConnected())
        for waiter in waiters + [late] { network.monitor.leave(waiter) }
        #expect(network.watches.values == [true, false])
    }

    @Test func lateReport_ofAnEarlierWatch_isIgnored() async {
        let reports = Recorder<@Sendable (Bool) -> Void>()
        let monitor = NetworkMonitor { report in
            reports.record(report)
            return reports
        }
        monitor.leave(monitor.join())
        let waiter = monitor.join()
        reports.values[0](false)
        #expect(!monitor.isOffline)
        reports.values[1](false)
        #expect(monitor.isOffline)
        reports.values[0](true)
        #expect(monitor.isOffline)
        monitor.leave(waiter)
    }

    @Test func cancelledWaiter_resumesImmediately() async {
        let network = ScriptedNetwork(isConnected: nil)
        let (first, second) = (network.monitor.join(), network.monitor.join())
        let unknown = Task { await first.isConnected() }
        let offline = Task { await second.untilConnected() }
        unknown.cancel()
        offline.cancel()
        #expect(await unknown.value)
        #expect(await !offline.value)
        network.monitor.leave(first)
        network.monitor.leave(second)
    }

    @Test func networkThatCannotBeWatched_countsAsConnected() async {
        let monitor = ScriptedNetwork(canBeWatched: false).monitor
        let waiter = monitor.join()
        #expect(await waiter.isConnected())
        #expect(await waiter.untilConnected())
        monitor.leave(waiter)
    }
}
