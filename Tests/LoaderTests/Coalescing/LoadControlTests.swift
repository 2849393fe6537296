import Foundation
import Testing

@testable import Alcedo

@Suite struct LoadControlTests {
    @Test func finishedFollower_keepsNothingOfWhatIsReceivedBeforeItLeaves() {
        let (flight, handle) = (LoadControl(), LoadControl())
        let body: ReceivedBody = { _, _ in Data() }
        flight.share(with: handle).forEach { $0() }
        flight.advance { $0.start(attempt: 1, receiving: body) }
        #expect(handle.transfer != nil)
        handle.finish()
        flight.advance { $0.receive(1_000, of: nil) }
        #expect(handle.transfer == nil && handle.receivedBytes == 0)
        flight.remove(handle)
        #expect(handle.transfer == nil && flight.transfer != nil)
    }
}
