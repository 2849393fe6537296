import Alcedo
import Foundation

/// The bytes of a reply's head, with the fields that its framing requires. It performs no I/O.
struct ResponseHeadWriter {
    /// Empty for raw replies.
    let bytes: Data
    /// Whether the connection can be used again after the reply.
    let keepsAlive: Bool
    /// Whether a response with this status has no body.
    let forbidsBody: Bool

    init(_ reply: LoopbackServer.Reply, clientKeepsAlive: Bool) {
        guard reply.kind == .response else {
            (bytes, keepsAlive, forbidsBody) = (Data(), false, false)
            return
        }
        forbidsBody = Self.forbidsBody(reply.status)
        var framing: (name: String, value: String)?
        var keeps = clientKeepsAlive && !reply.closes
        switch reply.framing {
        case .length: framing = ("Content-Length", "\(reply.body.count)")
        case .announced(let length):
            framing = ("Content-Length", "\(length)")
            keeps = keeps && length == reply.body.count
        case .chunked: framing = ("Transfer-Encoding", "chunked")
        case .untilClose: keeps = keeps && forbidsBody
        }
        var fields = reply.headers.map { (name: $0.name, value: $0.value) }
        if let framing, !forbidsBody { fields.append(framing) }
        if !keeps { fields.append(("Connection", "close")) }
        keepsAlive = keeps
        bytes = Self.head(status: reply.status, fields: fields)
    }

    static func head(status: Int, fields: [(name: String, value: String)]) -> Data {
        // The space before an empty reason is part of the status line (RFC 9112 section 4).
        var text = "HTTP/1.1 \(status) \(reasons[status] ?? "")\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        return Data((text + "\r\n").utf8)
    }

    static func forbidsBody(_ status: Int) -> Bool { status < 200 || status == 204 || status == 304 }

    private static let reasons = [
        200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
        304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
        403: "Forbidden", 404: "Not Found", 416: "Range Not Satisfiable",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
        503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
}
