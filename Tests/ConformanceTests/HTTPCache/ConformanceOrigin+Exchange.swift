import Alcedo
import Foundation

extension ConformanceOrigin {
    /// What a client receives without sockets, after the reply's pause; nil if the connection is closed instead.
    func exchange(_ method: String, _ url: URL, _ headers: HTTPHeaders, _ clock: ConformanceClock) -> Reply? {
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        let target = url.path(percentEncoded: true) + query
        var reply = respond(
            method: method, target: target, headers: headers, now: clock.millisecondsSince1970)
        clock.advance(by: reply.pause)
        if reply.disconnects { return nil }
        // Over a connection, bytes beyond the announced length belong to no response.
        if let length = reply.announcedBytes { reply.body = reply.body.prefix(length) }
        return reply
    }
}

extension ConformanceOrigin.Reply {
    /// The length of the body, if it is announced.
    var announcedBytes: Int? {
        status == 204 || status == 304 ? nil : headers["Content-Length"].flatMap { Int($0) }
    }
}
