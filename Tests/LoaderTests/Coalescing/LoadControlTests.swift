import Foundation
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
        flight.remove(slot)
        #expect(!flight.isRevalidated() && !input.isRevalidated())
    }

    /// It leaves in a later turn, and may be kept until long after that.
    @Test func finishedFollower_keepsNothingOfWhatIsReceivedBeforeItLeaves() {
        let (flight, handle) = (LoadControl(), LoadControl())
        let body = ReceivedBody { _, _ in Data() }
        flight.add(handle)
        flight.advance { $0.start(attempt: 1, receiving: body) }
        #expect(handle.transfer != nil)
        handle.finish()
        flight.advance { $0.receive(1_000, of: nil) }
        #expect(handle.transfer == nil && handle.receivedBytes == 0)
        flight.remove(handle)
        #expect(handle.transfer == nil && flight.transfer != nil)
    }
}
