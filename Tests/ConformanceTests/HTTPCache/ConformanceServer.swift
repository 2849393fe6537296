import Alcedo
import AlcedoTestSupport
import Foundation

/// Serves a ``ConformanceOrigin`` over sockets.
struct ConformanceServer: Sendable {
    private let server: LoopbackServer

    /// - Parameter clock: Also the client's. A reply's pause advances it.
    init(_ origin: ConformanceOrigin, _ clock: ConformanceClock) throws(LoopbackServer.SetupError) {
        server = try LoopbackServer { request in
            let reply = origin.respond(
                method: request.method, target: request.target, headers: request.headers,
                now: clock.millisecondsSince1970)
            clock.advance(by: reply.pause)
            return reply.overSockets
        }
    }

    /// The part of the URLs before the path.
    var base: String { "http://127.0.0.1:\(server.port)" }
}

extension ConformanceOrigin.Reply {
    fileprivate var overSockets: LoopbackServer.Reply {
        if disconnects { return .status(status).truncating(.beforeHead) }
        // The server writes UTF-8 and its own framing, and has no informational responses.
        let needsBytes =
            closes || !interimResponses.isEmpty || !headers.allSatisfy { $0.value.utf8.allSatisfy { $0 < 0x80 } }
        if needsBytes { return .raw(bytes) }
        var headers = headers
        headers["Content-Length"] = nil
        let reply = LoopbackServer.Reply(status: status, headers: headers, body: body)
        return announcedBytes.map { reply.announcing(length: $0) } ?? reply
    }

    /// The reply as it is sent over HTTP/1.1.
    private var bytes: Data {
        var bytes = Data()
        for interim in interimResponses {
            let fields = interim.headers.map { (name: $0.name, value: $0.value ?? "") }
            bytes.append(Self.head("\(interim.status)", HTTPHeaders(fields)))
        }
        bytes.append(Self.head("\(status) \(reason)", headers))
        bytes.append(body)
        return bytes
    }

    private static func head(_ status: String, _ fields: HTTPHeaders) -> Data {
        let text = fields.reduce("HTTP/1.1 \(status)\r\n") { $0 + "\($1.name): \($1.value)\r\n" } + "\r\n"
        // ISO-8859-1
        return Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }
}
