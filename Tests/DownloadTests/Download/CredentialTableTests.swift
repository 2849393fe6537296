import Alcedo
import Testing

struct CredentialTableTests {
    private var table = CredentialTable<Int>()

    @Test func secondRefusal_waitsForTheFirst() {
        var table = table
        #expect(table.credentials(for: "a") == nil)
        #expect(table.refuse(nil, by: "a", waiter: 1) == .ask(1))
        #expect(table.refuse(nil, by: "a", waiter: 2) == .wait)
        #expect(table.refuse(nil, by: "b", waiter: 3) == .ask(2))
        #expect(table.answer(1, "x", of: "a") == [1, 2])
        #expect(table.credentials(for: "a") == "x" && table.credentials(for: "b") == nil)
        #expect(table.answer(2, nil, of: "b") == [3])
        #expect(table.credentials(for: "b") == nil)
    }

    /// A request that was sent before the credentials were known only needs them.
    @Test func lateRefusal_isRepeatedWithWhatIsKnown() {
        var table = table
        _ = table.refuse(nil, by: "a", waiter: 1)
        _ = table.answer(1, "x", of: "a")
        #expect(table.refuse(nil, by: "a", waiter: 2) == .again)
        #expect(table.refuse("old", by: "a", waiter: 2) == .again)
        #expect(table.credentials(for: "a") == "x")
    }

    @Test func refusedCredentials_areForgotten_andAskedForAnew() {
        var table = table
        _ = table.refuse(nil, by: "a", waiter: 1)
        _ = table.answer(1, "x", of: "a")
        #expect(table.refuse("x", by: "a", waiter: 2) == .ask(2))
        #expect(table.credentials(for: "a") == nil)
        #expect(table.refuse("x", by: "a", waiter: 3) == .wait)
        #expect(table.answer(2, "y", of: "a") == [2, 3])
        table.forget("x", of: "a")
        #expect(table.credentials(for: "a") == "y")
        table.forget("y", of: "a")
        #expect(table.credentials(for: "a") == nil)
    }

    @Test func lastWaiter_cancelsTheHook_whoseAnswerIsThenIgnored() {
        var table = table
        _ = table.refuse(nil, by: "a", waiter: 1)
        _ = table.refuse(nil, by: "a", waiter: 2)
        let wereLast = [(3, "a"), (1, "b"), (1, "a"), (1, "a"), (2, "a"), (2, "a")].map { table.leave($0, of: $1) }
        #expect(wereLast == [false, false, false, false, true, false])
        #expect(table.refuse(nil, by: "a", waiter: 4) == .ask(2))
        #expect(table.answer(1, "old", of: "a") == [])
        #expect(table.credentials(for: "a") == nil && table.waiterCount(of: "a") == 1)
        #expect(table.answer(2, "new", of: "a") == [4])
        #expect(table.answer(2, "newer", of: "a") == [])
        #expect(table.credentials(for: "a") == "new")
    }

    @Test func numberOfOrigins_isBounded() {
        var table = CredentialTable<Int>(capacity: 2)
        for (number, origin) in ["a", "b", "c"].enumerated() {
            _ = table.refuse(nil, by: origin, waiter: 1)
            _ = table.answer(number + 1, origin, of: origin)
        }
        #expect(["a", "b", "c"].map { table.credentials(for: $0) } == [nil, nil, "c"])
    }
}
