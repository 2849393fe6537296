import Foundation

/// One accepted connection. It is used only on the server's thread, so it needs no lock.
final class ServerConnection {
    /// The connection's state after an action.
    enum Outcome: Equatable {
        case open
        case ended(LoopbackServer.ConnectionEnd)
    }

    /// A request that is being answered.
    private struct Turn {
        let request: LoopbackServer.RecordedRequest
        /// The reply being sent; nil if the test sends it.
        var script: ReplyScript?
        /// Steps from the test that haven't been taken yet.
        var steps: [ReplyScript.Step] = []
        var isStalled = false
    }

    let id: Int
    let descriptor: Int32
    let end = Handshake<LoopbackServer.ConnectionEnd?>(nil)
    /// The time at which the connection continues without an event; nil if it waits for an event.
    private(set) var wakeTime: ContinuousClock.Instant?

    private let core: ServerCore
    private var parser = RequestParser()
    private var turn: Turn?
    private var output = Data()
    private var outputOffset = 0
    private var hasEnded = false
    /// Whether the client has closed the connection.
    private(set) var hasHungUp = false
    /// Whether the last answer was sent. Further input is then read and dropped until the client closes.
    private var isDraining = false
    private var turnCount = 0

    private static let inputLimit = 1 << 20
    /// The number of steps for one connection before the others get their turn.
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

    /// Reads the available input.
    func receive(_ buffer: UnsafeMutableRawBufferPointer, isBroken: Bool) {
        // While too much input is buffered, none is read, so a broken connection must be detected here.
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

    /// Does everything that is possible now. A request that arrived just before the client closed is still handled.
    func goOn(_ now: ContinuousClock.Instant) -> Outcome {
        let outcome = pump(now)
        return hasHungUp && outcome == .open ? .ended(.byClient) : outcome
    }

    /// Performs the test's next step for an exchange. Steps for a finished exchange are ignored.
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
            // A client that doesn't read delays data sent before, but not the reset.
            if case .ended(let end) = pump(now) { return .ended(end) }
            return reset()
        }
        return pump(now)
    }

    /// Aborts a running script and replaces the rest of it with `step`.
    private func breakOff(with step: ReplyScript.Step) {
        if turn?.isStalled == true { core.statistics.update { $0.stalledReplies -= 1 } }
        turn?.isStalled = false
        turn?.script = nil
        turn?.steps.append(step)
        wakeTime = nil
    }

    /// Resumes a stalled reply if it is for `path`, or any stalled reply if `path` is nil.
    func release(path: String?, now: ContinuousClock.Instant) -> Outcome {
        guard let request = turn?.request, turn?.isStalled == true, path == nil || path == request.path else {
            return .open
        }
        turn?.isStalled = false
        core.statistics.update { $0.stalledReplies -= 1 }
        return pump(now)
    }

    /// Closes the descriptor and notifies the observers.
    func finish(_ end: LoopbackServer.ConnectionEnd) {
        guard !hasEnded else { return }
        hasEnded = true
        if end == .byServer {
            // Closing with unread bytes causes a reset, which could overtake the reply, so the end of the reply is sent
            // first.
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

    /// Performs one step; nil means that sending can continue.
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

    /// Drains input as real servers do. If the connection were closed while the client still sends, it would be reset
    /// and the answer lost.
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

    /// Begins the next request. Returns nil if there is one, and otherwise the outcome.
    private func beginTurn() -> Outcome? {
        guard !isDraining else { return .open }
        switch parser.next() {
        case .needsMore: return .open
        case .refuse(let status):
            refuse(status)
            return .open
        case .request(var request):
            request.connection = id
            // Counted before the reply is decided, so that handlers and clients see it counted.
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
        // No reply is in progress, so these few bytes fit into the send buffer.
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
