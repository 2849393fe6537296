public import Alcedo
public import Foundation

extension LoopbackServer {
    /// The server's reply to a request, including the faults it produces on the way.
    ///
    /// A reply is a value that is built by chaining:
    ///
    /// ```swift
    /// .bytes(png, contentType: "image/png").header("ETag", "\"1\"").dripping(1000, every: .milliseconds(20))
    /// .bytes(png).stalling(.afterBytes(100))
    /// .bytes(png).chunked().resetting(.afterHead)
    /// ```
    ///
    /// The server adds `Content-Length` (or `Transfer-Encoding`) and, if it closes the connection, `Connection: close`.
    public struct Reply: Sendable, Hashable {
        enum Kind: Hashable { case response, raw, manual }

        enum Framing: Hashable {
            case length
            case announced(Int)
            case chunked(Int)
            case untilClose
        }

        enum Fault: Hashable { case stall, close, reset }

        struct Interruption: Hashable {
            let position: Position
            let fault: Fault
        }

        struct Pace: Hashable {
            let count: Int
            let interval: Duration
        }

        /// A position in a reply.
        ///
        /// A position beyond the end of the body means the end of the body.
        public enum Position: Sendable, Hashable {
            /// Before the first byte is sent.
            case beforeHead
            /// Between the head and the body.
            case afterHead
            /// After this many bytes of the body, not counting the overhead of a transfer coding.
            case afterBytes(Int)
        }

        var kind = Kind.response
        var framing = Framing.length
        var interruptions: [Interruption] = []
        var pace: Pace?
        var closes = false

        /// The status code. Default 200.
        public var status: Int
        /// Fields in addition to those the server adds.
        public var headers: HTTPHeaders
        /// The body before any transfer coding.
        ///
        /// It isn't sent for HEAD, 1xx, 204 and 304.
        public var body: Data

        // MARK: Kinds

        /// A complete response.
        public init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// Status 200 with `body`.
        public static func bytes(_ body: Data, contentType: String? = nil) -> Reply {
            Reply(headers: contentType.map { ["Content-Type": $0] } ?? [:], body: body)
        }

        /// A response without a body.
        public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Reply {
            Reply(status: status, headers: headers)
        }

        /// A redirect to `location`, which is sent unchanged.
        public static func redirect(to location: String, status: Int = 302) -> Reply {
            Reply(status: status, headers: ["Location": location])
        }

        /// Bytes that are sent unchanged in place of a response.
        ///
        /// The connection is closed after them. Positions count from the first byte.
        public static func raw(_ bytes: Data) -> Reply {
            var reply = Reply(body: bytes)
            reply.kind = .raw
            return reply
        }

        /// A reply that the test sends, after taking the request with ``LoopbackServer/nextRequest()``.
        public static var manual: Reply {
            var reply = Reply()
            reply.kind = .manual
            return reply
        }

        // MARK: Head and framing

        /// Adds a field, even if there already is one with that name.
        public func header(_ name: String, _ value: String) -> Reply {
            with { $0.headers = HTTPHeaders(headers.map { ($0.name, $0.value) } + [(name, value)]) }
        }

        /// Announces `length` instead of the body's length.
        ///
        /// If they differ, the connection is closed at the end, so a length that is too large appears as a truncated
        /// body.
        public func announcing(length: Int) -> Reply { with { $0.framing = .announced(length) } }

        /// Sends the body with the chunked transfer coding, `size` bytes per chunk.
        public func chunked(_ size: Int = 16 << 10) -> Reply { with { $0.framing = .chunked(max(1, size)) } }

        /// Announces no length, so the end of the connection delimits the body.
        public func withoutLength() -> Reply { with { $0.framing = .untilClose } }

        /// Closes the connection after the reply.
        public func closing() -> Reply { with { $0.closes = true } }

        // MARK: Faults

        /// Sends `count` bytes of the body at a time, with a pause of `interval` in between.
        public func dripping(_ count: Int, every interval: Duration) -> Reply {
            with { $0.pace = Pace(count: max(1, count), interval: interval) }
        }

        /// Stalls at `position` and keeps the connection open.
        ///
        /// The reply continues after ``LoopbackServer/releaseStalled(path:)``, and ends when the client closes the
        /// connection.
        public func stalling(_ position: Position) -> Reply { interrupted(position, .stall) }

        /// Closes the connection normally at `position`.
        public func truncating(_ position: Position) -> Reply { interrupted(position, .close) }

        /// Resets the connection at `position`.
        ///
        /// Data sent just before may be lost on the way to the client.
        public func resetting(_ position: Position) -> Reply { interrupted(position, .reset) }

        private func interrupted(_ position: Position, _ fault: Fault) -> Reply {
            with { $0.interruptions.append(Interruption(position: position, fault: fault)) }
        }

        private func with(_ change: (inout Reply) -> Void) -> Reply {
            var reply = self
            change(&reply)
            return reply
        }
    }
}
