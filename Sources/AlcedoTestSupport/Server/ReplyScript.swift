import Alcedo
import Foundation

/// A reply as the steps that send it, one at a time. It performs no I/O; the server's thread does.
struct ReplyScript: Sendable {
    enum Step: Equatable {
        case write(Data)
        case pause(Duration)
        case stall
        case close
        case reset
        /// The reply is complete.
        case done(keepsAlive: Bool)
    }

    /// An interruption with its position as an offset in the body; -1 is before the head.
    private struct Stop {
        let offset: Int
        let fault: LoopbackServer.Reply.Fault
    }

    private let head: Data
    private let body: Data
    private let chunkSize: Int?
    private let pace: LoopbackServer.Reply.Pace?
    private let keepsAlive: Bool

    /// The remaining interruptions, in reverse order.
    private var stops: [Stop]
    private var offset = -1
    private var paused = 0
    private var hasTrailer: Bool
    private var isOver = false

    init(_ reply: LoopbackServer.Reply, method: String = "GET", keepsAlive: Bool = true) {
        let head = ResponseHeadWriter(reply, clientKeepsAlive: keepsAlive)
        self.head = head.bytes
        self.keepsAlive = head.keepsAlive
        body = (method == "HEAD" && reply.kind != .raw) || head.forbidsBody ? Data() : reply.body
        pace = reply.pace
        if case .chunked(let size) = reply.framing, reply.kind == .response, method != "HEAD", !head.forbidsBody {
            chunkSize = size
        } else {
            chunkSize = nil
        }
        hasTrailer = chunkSize != nil
        let count = body.count
        let inOrder = reply.interruptions.map { Stop(offset: min($0.position.offset, count), fault: $0.fault) }
            .sorted { $0.offset < $1.offset }
        stops = inOrder.reversed()
    }

    /// The next step; nil after the last one, which is `close`, `reset` or `done`.
    mutating func next() -> Step? {
        guard !isOver else { return nil }
        if let stop = stops.last, stop.offset <= offset { return interrupt(stop) }
        if offset < 0 {
            offset = 0
            if sharesWrite { return .write(head + nextPart()) }
            if !head.isEmpty { return .write(head) }
            if let stop = stops.last, stop.offset <= 0 { return interrupt(stop) }
        }
        guard offset < body.count else { return finish() }
        if let pace, offset > paused, offset.isMultiple(of: pace.count) {
            paused = offset
            return .pause(pace.interval)
        }
        return .write(nextPart())
    }

    /// Whether a small body is sent together with the head, because nothing happens in between.
    private var sharesWrite: Bool {
        !head.isEmpty && !body.isEmpty && body.count <= 16 << 10 && pace == nil && stops.last?.offset != 0
    }

    private mutating func interrupt(_ stop: Stop) -> Step {
        stops.removeLast()
        switch stop.fault {
        case .stall: return .stall
        case .close:
            isOver = true
            return .close
        case .reset:
            isOver = true
            return .reset
        }
    }

    private mutating func finish() -> Step {
        if hasTrailer {
            hasTrailer = false
            return .write(Data("0\r\n\r\n".utf8))
        }
        isOver = true
        return .done(keepsAlive: keepsAlive)
    }

    /// The bytes up to the next interruption, with the framing of the chunked coding.
    private mutating func nextPart() -> Data {
        var end = body.count
        if let stop = stops.last { end = min(end, stop.offset) }
        if let pace { end = min(end, (offset / pace.count + 1) * pace.count) }
        guard let chunkSize else {
            defer { offset = end }
            return slice(end)
        }
        let chunkStart = offset / chunkSize * chunkSize
        let chunkEnd = min(chunkStart + chunkSize, body.count)
        end = min(end, chunkEnd)
        var part = Data()
        if offset == chunkStart { part.append(Data("\(String(chunkEnd - chunkStart, radix: 16))\r\n".utf8)) }
        part.append(slice(end))
        if end == chunkEnd { part.append(Data("\r\n".utf8)) }
        offset = end
        return part
    }

    private func slice(_ end: Int) -> Data {
        body[(body.startIndex + offset)..<(body.startIndex + end)]
    }
}

extension LoopbackServer.Reply.Position {
    fileprivate var offset: Int {
        switch self {
        case .beforeHead: -1
        case .afterHead: 0
        case .afterBytes(let count): max(0, count)
        }
    }
}
