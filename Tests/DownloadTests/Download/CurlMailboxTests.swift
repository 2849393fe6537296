#if os(Linux) && Curl
import Foundation
import Testing

@testable import Alcedo

/// Commands for a transport's thread.
@Suite struct CurlMailboxTests {
    @Test func commandWithoutAThread_isDropped_unlessItStartsATransfer() {
        let mailbox = CurlMailbox()
        let request = DataRequest(url: URL(fileURLWithPath: "/"), headers: [:], idleTimeout: .seconds(1))
        let load = TransportLoad(request, ResponseSink(maximumBytes: 1))
        for command in [CurlMailbox.Command.stop(load), .resume(load), .decoded(load, .success(()))] {
            #expect(!mailbox.post(command))
        }
        #expect(mailbox.post(.start(load)))
        #expect(!mailbox.post(.stop(load)))
        var commands: [CurlMailbox.Command] = []
        _ = mailbox.take(&commands)
        #expect(commands.count == 2)
    }
}
#endif
