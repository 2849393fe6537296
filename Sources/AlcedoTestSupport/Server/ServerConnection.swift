import Foundation

/// One accepted connection. It lives on the server's thread only, and so needs no lock.
final class ServerConnection {
    /// What an action left behind.
    enum Outcome: Equatable {
        case open
        case ended(LoopbackServer.ConnectionEnd)
    }

    /// A request that is being answered.
    private struct Turn {
        let request: LoopbackServer.RecordedRequest
        /// What is sent next, nil when a test says it.
        var script: ReplyScript?
        /// The steps that a test has said and that were not taken yet.
        var steps: [ReplyScript.Step] = []
        var isStalled = false
    }

    let id: Int
    let descriptor: Int32
    let end = Handshake<LoopbackServer.ConnectionEnd?>(nil)
    /// When the connection goes on by itself, nil when something must happen first.
    private(set) var wakeTime: ContinuousClock.Instant?

    private let core: ServerCore
    private var parser = RequestParser()
    private var turn: Turn?
    private var output = Data()
    private var outputOffset = 0
    private var hasEnded = false
    /// The client has closed the connection.
    private(set) var hasHungUp = false
    /// The last answer was sent: what the client still sends is read and dropped until it closes.
    private var isDraining = false
    private var turnCount = 0

    private static let inputLimit = 1 << 20
    /// What is done for one connection before the others have their turn.
    private static let stepQuota = 64
    private static let writeQuota = 512 << 10

    init(id: Int, descriptor: Int32, core: ServerCore) {
        self.id = id
        self.descriptor = descriptor
        self.core = core
    }

    var wantsInput: Bool { parser.bufferedCount < Self.inputLimit }
    var wantsOutput: Bool { outputOffset < output.count }

    // MARK: Events

    /// Reads what the socket has.
    func receive(_ buffer: UnsafeMutableRawBufferPointer, isBroken: Bool) {
        // Nothing is read while much is buffered, and then a break is the end.
        if isBroken, !wantsInput { hasHungUp = true }
        while wantsInput, !hasHungUp {
            switch Sockets.receive(descriptor, into: buffer) {
            case .bytes(let count):
                if !isDraining { parser.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            case .wouldBlock: return
            case .ended, .broken: hasHungUp = true
            }
        }
    }

    /// Does what can be done now; a request that came just before the client's end counts.
    func goOn(_ now: ContinuousClock.Instant) -> Outcome {
        let outcome = pump(now)
        return hasHungUp && outcome == .open ? .ended(.byClient) : outcome
    }

    /// The test said what comes next for an exchange; one that is over is passed over.
    func perform(_ action: LoopbackServer.Exchange.Action, exchange: Int, now: ContinuousClock.Instant) -> Outcome {
        guard exchange == turnCount, let request = turn?.request else { return .open }
        switch action {
        case .reply(let reply):
            guard turn?.script == nil else { return .open }
            turn?.script = ReplyScript(reply, method: request.method, keepsAlive: request.keepsAlive)
        case .send(let bytes): turn?.steps.append(.write(bytes))
        case .finish(let keepsAlive): turn?.steps.append(.done(keepsAlive: keepsAlive))
        case .close: breakOff(with: .close)
        case .reset:
            breakOff(with: .reset)
            // A client that does not read holds up what was sent before, but not the reset.
            if case .ended(let end) = pump(now) { return .ended(end) }
            return reset()
        }
        return pump(now)
    }

    /// Gives up a script that is under way: `step` comes in place of its rest.
    private func breakOff(with step: ReplyScript.Step) {
        if turn?.isStalled == true { core.statistics.update { $0.stalledReplies -= 1 } }
        turn?.isStalled = false
        turn?.script = nil
        turn?.steps.append(step)
        wakeTime = nil
    }

    /// Lets a stalled reply go on, when it is one for `path` (nil: for any).
    func release(path: String?, now: ContinuousClock.Instant) -> Outcome {
        guard let request = turn?.request, turn?.isStalled == true, path == nil || path == request.path else {
            return .open
        }
        turn?.isStalled = false
        core.statistics.update { $0.stalledReplies -= 1 }
        return pump(now)
    }

    /// Gives the descriptor back and tells those who watch.
    func finish(_ end: LoopbackServer.ConnectionEnd) {
        guard !hasEnded else { return }
        hasEnded = true
        if end == .byServer {
            // Closing with unread bytes is a reset, which could overtake the reply: its end goes out first.
            Sockets.endSending(descriptor)
        }
        Sockets.close(descriptor)
        announce(end)
    }

    private func reset() -> Outcome {
        hasEnded = true
        Sockets.reset(descriptor)
        announce(.byServer)
        return .ended(.byServer)
    }

    // MARK: Sending

    /// Does what can be done now.
    func pump(_ now: ContinuousClock.Instant) -> Outcome {
        if let time = wakeTime, time <= now { wakeTime = nil }
        var sent = 0
        defer { if sent > 0 { core.statistics.update { $0.bytesSent += sent } } }
        for _ in 0..<Self.stepQuota {
            switch flush(&sent) {
            case .wouldBlock: return .open
            case .broken: return .ended(.byClient)
            case .bytes, .ended: break
            }
            guard turn != nil else {
                if let outcome = beginTurn() { return outcome }
                continue
            }
            if turn?.isStalled == true { return .open }
            if wakeTime != nil { return .open }
            guard let step = takeStep() else { return .open }
            if let outcome = perform(step, now) { return outcome }
        }
        wakeTime = now
        return .open
    }

    /// Performs one step; nil means: go on.
    private func perform(_ step: ReplyScript.Step, _ now: ContinuousClock.Instant) -> Outcome? {
        switch step {
        case .write(let bytes): write(bytes)
        case .pause(let duration): wakeTime = now.advanced(by: duration)
        case .stall:
            turn?.isStalled = true
            core.statistics.update { $0.stalledReplies += 1 }
        case .done(let keepsAlive):
            endTurn()
            if !keepsAlive { return parser.isInBody ? linger() : .ended(.byServer) }
        case .close: return .ended(.byServer)
        case .reset: return reset()
        }
        return nil
    }

    /// As real servers do: closed while the client still sends, the connection would be reset, and the answer lost.
    private func linger() -> Outcome {
        isDraining = true
        Sockets.endSending(descriptor)
        return .open
    }

    private func takeStep() -> ReplyScript.Step? {
        if turn?.script != nil { return turn?.script?.next() }
        guard turn?.steps.isEmpty == false else { return nil }
        return turn?.steps.removeFirst()
    }

    private func write(_ bytes: Data) {
        output = bytes
        outputOffset = 0
    }

    private func flush(_ sent: inout Int) -> Sockets.Outcome {
        while outputOffset < output.count {
            guard sent < Self.writeQuota else { return .wouldBlock }
            let outcome = output.withUnsafeBytes { bytes in
                Sockets.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[outputOffset...]))
            }
            guard case .bytes(let count) = outcome else { return outcome }
            outputOffset += count
            sent += count
        }
        output = Data()
        outputOffset = 0
        return .bytes(0)
    }

    // MARK: Turns

    /// Begins with the next request; returns what to do when there is none.
    private func beginTurn() -> Outcome? {
        guard !isDraining else { return .open }
        switch parser.next() {
        case .needsMore: return .open
        case .refuse(let status):
            refuse(status)
            return .open
        case .request(var request):
            request.connection = id
            // Counted before the reply is decided, so that a handler and a client find it counted.
            core.statistics.update { statistics in
                statistics.requests += 1
                statistics.requestsByPath[request.path, default: 0] += 1
                statistics.activeRequests += 1
                statistics.peakActiveRequests = max(statistics.peakActiveRequests, statistics.activeRequests)
            }
            begin(core.reply(to: request), for: request)
            return nil
        }
    }

    private func begin(_ reply: LoopbackServer.Reply, for request: LoopbackServer.RecordedRequest) {
        turnCount += 1
        guard reply.kind == .manual else {
            let script = ReplyScript(reply, method: request.method, keepsAlive: request.keepsAlive)
            turn = Turn(request: request, script: script)
            return
        }
        let exchange = LoopbackServer.Exchange(
            id: turnCount, request: request, core: core, connectionEnd: end)
        turn = Turn(request: request)
        core.exchanges.update { $0.append(exchange) }
    }

    private func endTurn() {
        turn = nil
        core.statistics.update { $0.activeRequests -= 1 }
    }

    private func refuse(_ status: Int) {
        isDraining = true
        let head = ResponseHeadWriter.head(
            status: status, fields: [("Content-Length", "0"), ("Connection", "close")])
        // A few bytes on a connection where no reply is under way: they fit.
        _ = head.withUnsafeBytes { Sockets.send(descriptor, $0) }
        Sockets.endSending(descriptor)
        parser = RequestParser()
    }

    private func announce(_ end: LoopbackServer.ConnectionEnd) {
        let turn = turn
        self.turn = nil
        core.statistics.update { statistics in
            statistics.openConnections -= 1
            if end == .byClient { statistics.closedByClient += 1 }
            guard let turn else { return }
            statistics.activeRequests -= 1
            if turn.isStalled { statistics.stalledReplies -= 1 }
            if end == .byClient { statistics.abandonedByPath[turn.request.path, default: 0] += 1 }
        }
        self.end.update { $0 = end }
    }
}
