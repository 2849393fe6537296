import Testing

@testable import Alcedo

@Suite struct LoadControlTests {
    @Test func flight_isRevalidatedByItsCallers_ifAllOfThemRevalidate() {
        let (input, flight) = (LoadControl(), LoadControl())
        #expect(!flight.isRevalidated())
        let slot = LoadControl(priority: .normal, revalidates: true)
        flight.add(slot)
        flight.addCaller()
        input.add(flight)
        #expect(flight.isRevalidated() && input.isRevalidated())
        // One without a control.
        flight.addCaller()
        #expect(!flight.isRevalidated() && !input.isRevalidated())
        flight.removeCaller()
        let plain = LoadControl()
        flight.add(plain)
        flight.addCaller()
        #expect(!flight.isRevalidated() && flight.isRevalidated(except: plain))
        flight.remove(plain)
        flight.removeCaller()
        #expect(flight.isRevalidated() && input.isRevalidated())
        slot.cancel()
        #expect(!flight.isRevalidated() && !input.isRevalidated())
    }
}
