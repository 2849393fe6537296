#if os(Linux)
import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct NetlinkMessageTests {
    private typealias Datagrams = NetlinkDatagrams
    private typealias Content = NetlinkMessage.Content

    private func messages(_ datagram: [UInt8]) -> [NetlinkMessage]? { NetlinkMessage.all(in: datagram.span) }

    private func contents(_ datagram: [UInt8]) -> [Content]? { messages(datagram)?.map(\.content) }

    @Test func recordedAnswers_areRead() throws {
        // Link-local and tentative addresses don't count.
        #expect(contents(Datagrams.addresses) == [.address(ofLink: 3), .change, .change, .change])
        #expect(contents(Datagrams.routes) == [.defaultRoute(overLink: 3), .irrelevant, .irrelevant])
        let end = try #require(messages(Datagrams.end))
        #expect(end.map(\.question) == [6] && end.map(\.content) == [.end])
        let addresses = try #require(messages(Datagrams.addresses))
        #expect(addresses.allSatisfy { $0.question == 5 && !$0.isInterrupted })
    }

    @Test func notifications_areNoAnswers() throws {
        // It carries the number of the program that made the change.
        let route = try #require(messages(Datagrams.newRoute))
        #expect(route.map(\.question) == [nil] && route.map(\.content) == [.defaultRoute(overLink: 3)])
        #expect(contents(Datagrams.newLinkRoute) == [.irrelevant])
        #expect(contents(Datagrams.message(17, flags: 0, Datagrams.link(3).suffix(32))) == [.change])
        #expect(contents(Datagrams.message(21, flags: 0, [2, 24, 0, 0, 3, 0, 0, 0])) == [.change])
        let removed = Datagrams.route(3).dropFirst(16), other = Datagrams.route(3, prefix: 8).dropFirst(16)
        #expect(contents(Datagrams.message(25, flags: 0, Array(removed))) == [.change])
        #expect(contents(Datagrams.message(25, flags: 0, Array(other))) == [.irrelevant])
    }

    @Test(arguments: [
        ("43100100", true), ("03100100", false), ("42100100", false), ("49000000", false), ("00000000", false),
    ])
    func link_isRunning_byItsFlags(_ flags: String, _ isRunning: Bool) {
        let link = Datagrams.link(9, flags: flags)
        #expect(contents(link) == [.link(9, isRunning: isRunning, isBridge: false)])
    }

    @Test(arguments: [
        ("0b000100627269646765 0000", true), ("11000100627269646765 5f736c6176650000 0000", false),
        ("0b000400627269646765 0000", false), ("0a000100627269646765 0000", false), ("", false),
    ])
    func bridge_isFound_byItsKind(_ kind: String, _ isBridge: Bool) {
        let link = Datagrams.link(9, kind: kind)
        #expect(contents(link) == [.link(9, isRunning: true, isBridge: isBridge)])
    }

    @Test func address_counts_byItsScopeAndFlags() {
        for (scope, flags, counts) in [
            (0, 0x80, true), (200, 0x80, true), (253, 0x80, false), (254, 0x80, false), (0, 0x40, false),
            (0, 0x44, true), (0, 0x08, false), (0, 0x20, true),
        ] as [(UInt8, UInt8, Bool)] {
            let address = Datagrams.address(7, scope: scope, flags: flags)
            #expect(contents(address) == [counts ? .address(ofLink: 7) : .change], "\(scope) \(flags)")
        }
    }

    @Test func routes_toSomeAddresses_orThatRefuse_areNoDefaultRoutes() {
        #expect(contents(Datagrams.route(5)) == [.defaultRoute(overLink: 5)])
        #expect(contents(Datagrams.route(nil)) == [.defaultRoute(overLink: nil)])
        #expect(contents(Datagrams.route(5, type: 7)) == [.change])
        #expect(contents(Datagrams.route(5, prefix: 1)) == [.irrelevant])
    }

    @Test func errorsAndEnds_areDistinguished() {
        #expect(contents(Datagrams.message(2, flags: 0, number: 4, [0xF0, 0xFF, 0xFF, 0xFF])) == [.failure])
        #expect(contents(Datagrams.message(2, flags: 0, number: 4, [0, 0, 0, 0])) == [.irrelevant])
        #expect(contents(Datagrams.end(4)) == [.end])
        #expect(contents(Datagrams.end(4, error: 5)) == [.failure])
        #expect(contents(Datagrams.message(3, [])) == [.end])
        #expect(contents(Datagrams.message(99, [])) == [.irrelevant])
        #expect(contents([]) == [])
        let interrupted = messages(Datagrams.message(3, flags: 0x12, number: 1, [0, 0, 0, 0]))
        #expect(interrupted?.map(\.isInterrupted) == [true] && interrupted?.map(\.question) == [1])
    }

    // MARK: Damaged datagrams

    @Test func cutDatagram_isRefused_exceptBetweenMessages() {
        for datagram in [Datagrams.addresses, Datagrams.routes, Datagrams.link(3), Datagrams.newRoute] {
            var ends: Set<Int> = [0], offset = 0
            while offset < datagram.count {
                offset += Int(datagram[offset]) | Int(datagram[offset + 1]) << 8
                ends.insert(offset)
            }
            for length in 0...datagram.count {
                #expect((contents(Array(datagram.prefix(length))) != nil) == ends.contains(length), "\(length)")
            }
        }
    }

    @Test func lengthsThatDoNotFit_areRefused() {
        var datagram = Datagrams.link(3)
        for length: UInt8 in [0, 15, 17, 31, 255] {
            datagram[0] = length
            #expect(contents(datagram) == nil, "\(length)")
        }
        var attribute = Datagrams.route(3)
        for length: UInt8 in [0, 3, 9, 255] {
            attribute[28] = length
            #expect(contents(attribute) == nil, "\(length)")
        }
        var nested = Datagrams.link(3)
        nested[48] = 3
        #expect(contents(nested) == nil)
    }

    @Test func damagedBytes_neverTrap() {
        var random = SeededRandom(seed: Fuzz.seed)
        let datagrams = [Datagrams.addresses, Datagrams.routes, Datagrams.link(3), Datagrams.newLinkRoute]
        for step in 0..<Fuzz.steps {
            var datagram = datagrams[step % datagrams.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                datagram[Int.random(in: 0..<datagram.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = contents(Array(datagram.prefix(Int.random(in: 0...datagram.count, using: &random))))
        }
    }
}
#endif
