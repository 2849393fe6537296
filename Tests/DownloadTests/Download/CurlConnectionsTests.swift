#if os(Linux) && Curl
import CCurl
import Foundation
import Testing

@testable import Alcedo

/// Connections that a transport looks at before it uses them again.
@Suite struct CurlConnectionsTests {
    /// curl closes the sockets of the addresses that don't answer, and the system uses their numbers again.
    @Test func connection_isKnown_whoseSocketHasTheNumberOfAClosedOne() throws {
        let connections = CurlConnections()
        var place = curl_sockaddr()
        (place.family, place.socktype) = (AF_INET, Int32(SOCK_STREAM.rawValue))
        let made = connections.makeSocket(place)
        try #require(made >= 0)
        let ends = CurlConnections.Ends(address: "127.0.0.1", port: 80, localPort: 50_000)
        let connection = try #require(connections.connection(ends, among: [made, made]))
        #expect(connections.connection(ends, among: []) === connection)
        #expect(connections.closeSocket(made) == 0)
        #expect(connections.connection(ends, among: []) == nil)
    }
}
#endif
