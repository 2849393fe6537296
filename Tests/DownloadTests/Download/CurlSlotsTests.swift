#if os(Linux) && Curl
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct CurlSlotsTests {
    @Test func loadsBeyondTheLimit_waitInOrder() {
        var slots = CurlSlots<Int>(connectionsPerHost: 2)
        check((1...4).map { slots.enter($0, "a") }, [true, true, false, false])
        check(slots.enter(5, "b"), true)
        check(slots.leave("a"), [3])
        check(slots.leave("a"), [4])
        check(slots.leave("a"), [])
        check(slots.leave("a"), [])
        check(slots.enter(6, "a"), true)
    }

    @Test func removedLoad_isSkipped() {
        var slots = CurlSlots<Int>(connectionsPerHost: 1)
        for id in 1...3 { _ = slots.enter(id, "a") }
        slots.remove(2, "a")
        check(slots.leave("a"), [3])
    }

    @Test func multiplexingOrigin_acceptsMany_untilItIsIdle() {
        var slots = CurlSlots<Int>(connectionsPerHost: 1)
        for id in 1...3 { _ = slots.enter(id, "a") }
        check(slots.isSharing, false)
        check(slots.multiplex("a"), [2, 3])
        check(slots.isSharing, true)
        check(slots.multiplex("a"), [])
        check((4...100).allSatisfy { slots.enter($0, "a") }, true)
        check(slots.enter(101, "a"), false)
        for _ in 1...101 { _ = slots.leave("a") }
        check(slots.isSharing, false)
        check(slots.enter(1, "a"), true)
        check(slots.enter(2, "a"), false)
        check(slots.multiplex("unknown"), [])
    }

    @Test func singleLoad_sharesNothing_unlessItIsTheLastOfSeveral() {
        var slots = CurlSlots<Int>(connectionsPerHost: 1)
        _ = slots.enter(1, "a")
        _ = slots.multiplex("a")
        check(slots.isSharing, false)
        _ = slots.enter(2, "a")
        check(slots.isSharing, true)
        _ = slots.leave("a")
        check(slots.isSharing, true)
        _ = slots.leave("a")
        check(slots.isSharing, false)
        _ = slots.enter(3, "a")
        _ = slots.multiplex("a")
        check(slots.isSharing, false)
    }
}
#endif
