#if os(Linux) && Curl
import CCurl
import Foundation

/// A connection of curl, from its first request on.
final class CurlConnection {
    fileprivate let socket: curl_socket_t
    /// Whether a response has arrived. From then on, bytes of an earlier exchange may follow.
    private var hasResponded = false
    /// Whether the connection uses HTTP/2, where each frame names its request, and the server may send frames at any
    /// time.
    private var isMultiplexed = false

    fileprivate init(_ socket: curl_socket_t) { self.socket = socket }

    /// Records that a response has arrived.
    func respond(isMultiplexed: Bool) {
        hasResponded = true
        self.isMultiplexed = isMultiplexed
    }

    /// Whether the next request may be sent over this connection. False if the server has closed it, or has sent
    /// unsolicited bytes, which would be taken for the response to that request.
    ///
    /// Before the first response, such bytes can't belong to another request. Over TLS, they are the tickets for later
    /// connections. After the first response, all that TLS sends is its closing message.
    var isClean: Bool {
        guard hasResponded, !isMultiplexed else { return true }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0
    }
}

/// The connections of a loop, found by their ends, because curl doesn't name the connection that it is about to use.
///
/// libcurl before 8.0 may use an idle connection on which bytes are waiting.
final class CurlConnections {
    struct Ends: Hashable {
        let address: String
        let port: Int32
        let localPort: Int32
    }

    private var open: [curl_socket_t: Ends?] = [:]
    private var connections: [Ends: CurlConnection] = [:]

    /// Creates a socket for curl.
    func makeSocket(_ place: curl_sockaddr) -> curl_socket_t {
        // O_CLOEXEC is SOCK_CLOEXEC.
        let made = socket(place.family, place.socktype | O_CLOEXEC, place.protocol)
        if made >= 0 { open.updateValue(nil, forKey: made) }
        return made
    }

    /// The connection with these ends; nil if it isn't known.
    ///
    /// - Parameter sockets: The sockets created for the request that is about to be sent.
    func connection(_ ends: Ends, among sockets: [curl_socket_t]) -> CurlConnection? {
        // curl tries several addresses, and closes all sockets but the one that connects first.
        // The number of a closed socket may be reused for the next one.
        let new = Set(sockets).filter { open[$0] == .some(nil) }
        guard let made = new.first else { return connections[ends] }
        guard new.count == 1 else { return nil }
        let connection = CurlConnection(made)
        open.updateValue(ends, forKey: made)
        connections[ends] = connection
        return connection
    }

    /// Closes a socket for curl.
    func closeSocket(_ socket: curl_socket_t) -> Int32 {
        if let ends = open.removeValue(forKey: socket) ?? nil { connections[ends] = nil }
        return close(socket)
    }
}
#endif
