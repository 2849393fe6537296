import Alcedo
import Foundation
import Synchronization

/// The origin server of PROTOCOL.md section 1, without sockets.
///
/// Section 1 also has routes for the configuration and the state, which are methods here: the client under test doesn't
/// use them.
final class ConformanceOrigin: Sendable {
    struct Reply: Sendable {
        let status: Int
        let reason: String
        /// All fields, including the length unless the case has its own framing.
        var headers: HTTPHeaders = [:]
        var body = Data()
        var interimResponses: [HTTPCacheCase.Request.InterimResponse] = []
        /// The time that passes before the reply, in seconds. Its dates take it into account.
        var pause = 0
        /// Whether the connection is closed instead.
        var disconnects = false
        /// Whether the connection is closed afterwards.
        var closes = false
    }

    /// A request that reached the origin.
    struct SeenRequest: Sendable {
        /// Nil if the client didn't send it.
        let number: Int?
        let method: String
        let headers: HTTPHeaders
        /// The fields of the reply that the client must receive unchanged. Repeated ones are joined.
        var savedFields: HTTPHeaders = [:]
    }

    private let runs = Mutex<[String: Run]>([:])

    /// Adds a run of a case. Returns false if there is one with this identifier.
    func configure(_ id: String, _ requests: [HTTPCacheCase.Request]) -> Bool {
        runs.withLock { runs in
            guard runs[id] == nil else { return false }
            runs[id] = Run(id: id, requests: requests)
            return true
        }
    }

    /// The requests of a run that reached the origin, in order.
    func seen(_ id: String) -> [SeenRequest] { runs.withLock { $0[id]?.seen ?? [] } }

    /// The reply to a request for a run.
    ///
    /// - Parameters:
    ///   - target: The path and the query.
    ///   - now: In milliseconds since 1970.
    func respond(method: String, target: String, headers: HTTPHeaders, now: Int64) -> Reply {
        let path = target.prefix { $0 != "?" }.split(separator: "/")
        guard path.count >= 2, path[0] == "test" else { return Reply(status: 404, reason: "Not Found") }
        let request = SeenRequest(number: headers["Req-Num"].flatMap { Int($0) }, method: method, headers: headers)
        let reply = runs.withLock { $0[String(path[1])]?.reply(to: request, target, now) }
        return reply ?? Reply(status: 409, reason: "Conflict")
    }
}

/// A run of a case.
private struct Run {
    let id: String
    var requests: [HTTPCacheCase.Request]
    var seen: [ConformanceOrigin.SeenRequest] = []

    /// Nil if the case has no such request.
    mutating func reply(
        to request: ConformanceOrigin.SeenRequest, _ target: String, _ now: Int64
    ) -> ConformanceOrigin.Reply? {
        let number = request.number ?? seen.count + 1
        guard requests.indices.contains(number - 1) else { return nil }
        let script = requests[number - 1]
        let now = now + Int64(script.replyPause) * 1000
        let (status, reason) = status(of: script, number, for: request)
        var reply = ConformanceOrigin.Reply(status: status, reason: reason)
        reply.headers = [
            "Server-Base-Url": target, "Server-Request-Count": "\(seen.count + 1)",
            "Client-Request-Count": request.number.map { "\($0)" } ?? "NaN", "Server-Now": "\(now)",
        ]
        var request = request
        add(script.replyHeaders, of: number, now, target, to: &reply.headers, saving: &request.savedFields)
        seen.append(request)
        complete(&reply, now)
        let allowsBody = status != 204 && status != 304
        let body = Data((script.replyBody.flatMap { $0.isEmpty ? nil : $0 } ?? id).utf8)
        if allowsBody, request.method != "HEAD" { reply.body = body }
        let framing = ["content-length", "transfer-encoding"]
        let names = script.replyHeaders.map { $0.name.lowercased() }
        if allowsBody, !names.contains(where: framing.contains) { reply.headers["Content-Length"] = "\(body.count)" }
        reply.closes = names.contains { framing.contains($0) || $0 == "connection" }
        reply.interimResponses = script.interimResponses
        reply.pause = script.replyPause
        reply.disconnects = script.disconnects
        return reply
    }

    private func status(
        of script: HTTPCacheCase.Request, _ number: Int, for request: ConformanceOrigin.SeenRequest
    ) -> (Int, String) {
        guard script.fate?.condition != nil else { return (script.replyStatus ?? 200, script.replyReason ?? "OK") }
        let previous = number > 1 ? requests[number - 2].replyHeaders : []
        let validators = ["If-Modified-Since": "last-modified", "If-None-Match": "etag"]
        let isConfirmed = validators.contains { condition, validator in
            guard let value = request.headers[condition] else { return false }
            return previous.contains { $0.name.lowercased() == validator && $0.value == value }
        }
        return isConfirmed ? (304, "Not Modified") : (999, "304 Not Generated")
    }

    /// Adds the fields of the script, and notes those that must reach the client.
    private mutating func add(
        _ fields: [HTTPCacheField], of number: Int, _ now: Int64, _ target: String, to headers: inout HTTPHeaders,
        saving saved: inout HTTPHeaders
    ) {
        for (index, field) in fields.enumerated() {
            let text = requests[number - 1].text(of: field, now: now, base: target)
            if field.delta != nil {
                // The next request is compared with the date that was sent.
                requests[number - 1].replyHeaders[index] = HTTPCacheField(field.name, text, check: field.check)
            }
            headers.append(HTTPHeaders.Field(name: field.name, value: text))
            if field.check ?? true { saved[field.name] = headers[field.name] }
        }
    }

    /// Adds the fields that every reply has.
    private func complete(_ reply: inout ConformanceOrigin.Reply, _ now: Int64) {
        if reply.headers["Content-Type"] == nil { reply.headers["Content-Type"] = "text/plain" }
        if reply.headers["Date"] == nil {
            reply.headers["Date"] = HTTPDateText(millisecondsSince1970: now).preferred
        }
        reply.headers["Request-Numbers"] = seen.compactMap { $0.number.map { "\($0)" } }.joined(separator: " ")
    }
}
