#if os(Linux)
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct NetworkSurveyTests {
    private typealias Datagrams = NetlinkDatagrams

    /// Takes datagrams as the kernel sends them.
    private func take(_ datagrams: [UInt8]..., by survey: inout NetworkSurvey) -> [NetworkSurvey.Step] {
        let bytes = datagrams.flatMap { $0 }
        return survey.take(NetlinkMessage.all(in: bytes.span))
    }

    /// Whether a first survey finds a network.
    private func isConnected(
        links: [[UInt8]], addresses: [[UInt8]] = [], routes: [[UInt8]] = []
    ) throws -> Bool {
        var survey = NetworkSurvey()
        #expect(survey.begin() == .ask(.links, number: 1))
        // Each answer comes in several datagrams.
        for link in links { #expect(take(link, by: &survey) == []) }
        #expect(take(Datagrams.end(1), by: &survey) == [.ask(.addresses, number: 2)])
        #expect(take(addresses.flatMap { $0 }, Datagrams.end(2), by: &survey) == [.ask(.routes, number: 3)])
        let steps = take(routes.flatMap { $0 }, Datagrams.end(3), by: &survey)
        guard case .report(let isConnected) = try #require(steps.first), steps.count == 1 else {
            Issue.record("\(steps)")
            return false
        }
        return isConnected
    }

    private let loopback = NetlinkDatagrams.link(1, flags: "49000100", kind: "")

    @Test func address_onALinkThatRuns_isANetwork() throws {
        let (running, down) = (Datagrams.link(3), Datagrams.link(3, flags: "03100000"))
        let address = Datagrams.address(3)
        #expect(try isConnected(links: [loopback, running], addresses: [Datagrams.address(1), address]))
        #expect(try !isConnected(links: [loopback, down], addresses: [Datagrams.address(1), address]))
        #expect(try !isConnected(links: [loopback, running], addresses: [Datagrams.address(1)]))
        #expect(try !isConnected(links: [loopback, running], addresses: [Datagrams.address(3, scope: 253)]))
        #expect(try !isConnected(links: [loopback], addresses: [Datagrams.address(1)]))
        #expect(try !isConnected(links: []))
    }

    @Test func defaultRoute_isANetwork_ifItsLinkRuns() throws {
        let (running, down) = (Datagrams.link(3), Datagrams.link(4, flags: "03100000"))
        #expect(try isConnected(links: [loopback, running], routes: [Datagrams.route(3)]))
        #expect(try !isConnected(links: [loopback, running, down], routes: [Datagrams.route(4)]))
        #expect(try isConnected(links: [loopback, running, down], routes: [Datagrams.route(nil)]))
        #expect(try !isConnected(links: [loopback, down], routes: [Datagrams.route(nil)]))
        #expect(try !isConnected(links: [loopback, running], routes: [Datagrams.route(3, prefix: 8)]))
        #expect(try !isConnected(links: [loopback, running], routes: [Datagrams.route(1)]))
    }

    /// Containers run on a laptop without a network, too.
    @Test func bridge_isANetwork_ifItHasTheDefaultRoute() throws {
        let bridge = Datagrams.link(3, kind: "0b000100627269646765 0000")
        #expect(try !isConnected(links: [loopback, bridge], addresses: [Datagrams.address(3)]))
        #expect(
            try isConnected(links: [loopback, bridge], addresses: [Datagrams.address(3)], routes: [Datagrams.route(3)]))
    }

    private func finish(_ survey: inout NetworkSurvey, from number: UInt8, _ link: [UInt8]) -> [NetworkSurvey.Step] {
        _ = take(link, Datagrams.end(number), by: &survey)
        _ = take(Datagrams.address(3, number: number + 1), Datagrams.end(number + 1), by: &survey)
        return take(Datagrams.end(number + 2), by: &survey)
    }

    @Test func change_startsAnotherSurvey() {
        var survey = NetworkSurvey()
        _ = survey.begin()
        #expect(finish(&survey, from: 1, Datagrams.link(3)) == [.report(isConnected: true)])
        #expect(take(Datagrams.newLinkRoute, by: &survey) == [])
        #expect(take(Datagrams.newRoute, Datagrams.newRoute, by: &survey) == [.ask(.links, number: 4)])
        // Nothing of the earlier survey is left.
        let down = Datagrams.link(3, flags: "03100000", number: 4)
        #expect(finish(&survey, from: 4, down) == [.report(isConnected: false)])
    }

    @Test func change_duringASurvey_isFollowedUp() {
        var survey = NetworkSurvey()
        _ = survey.begin()
        #expect(take(Datagrams.message(17, flags: 0, []), by: &survey) == [])
        let steps = finish(&survey, from: 1, Datagrams.link(3))
        #expect(steps == [.report(isConnected: true), .ask(.links, number: 4)])
        #expect(finish(&survey, from: 4, Datagrams.link(3, number: 4)) == [.report(isConnected: true)])
    }

    @Test func interruptedAnswer_isRepeated() {
        var survey = NetworkSurvey()
        _ = survey.begin()
        _ = take(Datagrams.message(3, flags: 0x12, number: 1, [0, 0, 0, 0]), by: &survey)
        _ = take(Datagrams.end(2), by: &survey)
        #expect(take(Datagrams.end(3), by: &survey) == [.report(isConnected: false), .ask(.links, number: 4)])
    }

    @Test func lostNotifications_startAnotherSurvey() {
        var survey = NetworkSurvey()
        _ = survey.begin()
        #expect(survey.missedNotifications() == [])
        #expect(
            finish(&survey, from: 1, Datagrams.link(3)) == [.report(isConnected: true), .ask(.links, number: 4)])
        _ = finish(&survey, from: 4, Datagrams.link(3, number: 4))
        #expect(survey.missedNotifications() == [.ask(.links, number: 7)])
    }

    @Test func answersToOtherQuestions_areIgnored() {
        var survey = NetworkSurvey()
        _ = survey.begin()
        #expect(take(Datagrams.link(3, number: 9), Datagrams.end(9), by: &survey) == [])
        #expect(finish(&survey, from: 1, loopback) == [.report(isConnected: false)])
    }

    @Test func refusalsAndDamage_giveUp() {
        var survey = NetworkSurvey()
        _ = survey.begin()
        #expect(take(Datagrams.message(2, flags: 0, number: 1, [1, 0, 0, 0]), by: &survey) == [.giveUp])
        #expect(take(Datagrams.end(1, error: 1), by: &survey) == [.giveUp])
        #expect(survey.take(nil) == [.giveUp])
    }
}
#endif
