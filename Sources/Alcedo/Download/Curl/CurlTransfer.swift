#if os(Linux) && Curl
import CCurl
import Foundation

/// State collected during one iteration of the loop inside curl's callbacks, where curl must not be called.
final class CurlTurn {
    var pipeSignal = PipeSignalMask()
    let connections = CurlConnections()
    /// The number of times that curl has worked on its transfers.
    var number = 0
    /// When the iteration began.
    var now = ContinuousClock.now
    /// Transfers that follow a redirect.
    var redirected: [CurlTransfer] = []
    /// Origins that responded over HTTP/2.
    var multiplexed: Set<String> = []
    /// Transfers with small chunks that aren't delivered yet.
    var gathering: [CurlTransfer] = []
    let mailbox: CurlMailbox
    /// The threads that decode coded bodies. There are two, so that one slow body doesn't hold up all others.
    private(set) lazy var decoding = WorkerThreads("unpack", count: 2)

    init(_ mailbox: CurlMailbox) { self.mailbox = mailbox }
}

/// One load on the loader's thread, across all hops.
final class CurlTransfer {
    let load: TransportLoad
    private(set) var request: DataRequest
    private(set) var origin: String
    var id: ObjectIdentifier { ObjectIdentifier(load) }
    /// Whether the current hop has one of its origin's slots.
    var hasSlot = false
    /// The handle of the current hop; nil until it is launched.
    var handle: CurlHandle?
    private(set) var head = CurlHead()
    /// The target of a redirect.
    private(set) var next: DataRequest?
    /// The error for which this code, rather than curl, stopped the transfer.
    private(set) var failure: ImageLoaderError?
    /// The network policy's decisions about addresses of the current hop.
    var addresses = CurlAddresses()
    /// The sockets that were made for the current hop.
    var sockets: [curl_socket_t] = []
    /// The connection that curl uses for the current hop, if it is known.
    var connection: CurlConnection?
    /// The turn in which the current hop got its handle. curl works on the hop from the next turn on.
    private var preparedAt = 0
    /// Whether the connection of the response's head was recorded.
    private var hasRecordedConnection = false
    /// The idle timeout, from 1 ms to a day, which is as good as forever.
    let idleTimeout: Duration
    private var lastByte: ContinuousClock.Instant
    private var sentBytes = 0
    private var drained = 0
    /// Whether anything of the body has arrived.
    private var hasBody = false
    /// Decodes the body; nil if the body isn't coded.
    private(set) var coded: CodedBody?
    private var decodedBytes = 0
    /// The total time of pauses when the idle time began.
    private var pausedTime = Duration.zero
    /// The small chunks of this turn, which are delivered together. A server may send each byte in a separate chunk.
    private var gathered: [UInt8] = []
    private var smallChunks = 0
    /// Whether curl holds back the bytes that arrive until the transfer is resumed.
    private(set) var isPaused = false
    let turn: CurlTurn

    /// The number of bytes of a redirect's body that are read so that the connection can be reused. The redirect
    /// doesn't wait for them.
    private static let drainLimit = 16 << 10
    /// Chunks of at least this size are delivered immediately.
    private static let smallChunk = 2 << 10
    /// The number of small chunks in a turn after which curl holds back the rest, and combines it into one chunk.
    private static let mostSmallChunks = 64

    init(_ load: TransportLoad, _ turn: CurlTurn) {
        self.load = load
        self.turn = turn
        request = load.request.withCredentialsAsField()
        origin = request.url.origin
        idleTimeout = min(max(.milliseconds(1), request.idleTimeout), .seconds(86_400))
        lastByte = turn.now
    }

    /// Whether the transfer may write through TLS, to its origin or to a proxy.
    var mayUseTLS: Bool {
        origin.hasPrefix("https:") || Self.hasSecureProxy || request.network?.hasSecureProxy == true
    }

    /// Whether curl may connect over TLS to a proxy for http. These are the variables that it reads.
    private static let hasSecureProxy = ["http_proxy", "all_proxy", "ALL_PROXY"].contains { (name: String) in
        getenv(name).map { String(cString: $0).lowercased().hasPrefix("https:") } ?? false
    }

    /// When the transfer times out unless a byte arrives.
    var deadline: ContinuousClock.Instant { lastByte + idleTimeout }

    /// Configures the handle. The idle time starts now.
    func prepare(_ handle: CurlHandle, _ options: CurlOptions) throws(ImageLoaderError) {
        self.handle = handle
        preparedAt = turn.number
        lastByte = turn.now
        sentBytes = 0
        try options.apply(request, origin: origin, timeout: idleTimeout, to: handle)
        let context = Unmanaged.passUnretained(self).toOpaque()
        (sockets, connection) = ([], nil)
        watchConnections(on: handle, context)
        handle.set(CURLOPT_PRIVATE, context)
        handle.set(CURLOPT_HEADERDATA, context)
        handle.set(CURLOPT_HEADERFUNCTION) {
            CurlTransfer.pass($0, $1 * $2, to: $3) { (to, line) throws(ImageLoaderError) in try to.takeLine(line) }
        }
        handle.set(CURLOPT_WRITEDATA, context)
        handle.set(CURLOPT_WRITEFUNCTION) {
            CurlTransfer.pass($0, $1 * $2, to: $3) { (to, bytes) throws(ImageLoaderError) in try to.takeBody(bytes) }
        }
    }

    /// The transfer of a handle that curl reports.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        alcedo_curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Continues with a redirect's target.
    func follow(_ next: DataRequest) {
        request = next.withCredentialsAsField()
        origin = next.url.origin
        self.next = nil
        head = CurlHead()
        addresses = CurlAddresses()
        drained = 0
    }

    /// Whether no byte was received or sent for the idle time. Sent and decoded bytes are noticed only here, so they
    /// count from now.
    func hasTimedOut() -> Bool {
        guard deadline <= turn.now else { return false }
        // The idle time restarts after a pause.
        let paused = load.sink.share?.pausedTime ?? .zero
        if load.sink.demand == .nothing || paused > pausedTime {
            (lastByte, pausedTime) = (turn.now, paused)
            return false
        }
        let (sent, decoded) = (request.body == nil ? 0 : handle?.sentBytes ?? 0, coded?.decodedBytes ?? 0)
        guard sent > sentBytes || decoded > decodedBytes || coded?.isDelivering == true else { return true }
        (sentBytes, decodedBytes) = (sent, decoded)
        lastByte = turn.now
        return false
    }

    /// Lets curl deliver the bytes that it has held back, if they may be delivered now.
    func resume() {
        coded?.resume()
        guard isPaused, let handle, coded != nil || load.sink.demand != .nothing else { return }
        isPaused = false
        handle.resume()
    }

    /// Ends the transfer in a callback, because its address is refused.
    func refuse(_ error: ImageLoaderError?) {
        failure = error ?? .connectionFailed(.other, detail: "the address of the connection isn't known")
    }

    /// Records the outcome of connecting for a transfer that ends with `error`, unless it was recorded with the head.
    func recordConnection(endingWith error: ImageLoaderError) {
        // Before curl works on the hop, the handle has the times of its previous hop.
        guard load.sink.isObserved, !hasRecordedConnection, handle != nil, turn.number > preparedAt else { return }
        // curl may have tried an open connection first, whose times the handle then has.
        if handle?.isConnected == true, !error.isOfConnecting {
            return turn.pipeSignal.lifted { recordConnection() }
        }
        // A refused use of an open connection isn't a failure to connect.
        guard failure == nil else { return }
        switch error {
        // Nothing has arrived, so `lastByte` is when the hop began.
        case .cancelled, .timedOut, .connectionFailed, .destinationRefused:
            load.sink.failedToConnect(after: .now - lastByte)
        // The request was refused before it could connect.
        default: return
        }
    }

    private func recordConnection() {
        guard load.sink.isObserved, let connection = handle?.connection else { return }
        hasRecordedConnection = true
        load.sink.connected(after: connection.time, isReused: connection.isReused)
    }

    // MARK: Callbacks

    private func takeLine(_ line: UnsafeRawBufferPointer) throws(ImageLoaderError) -> Int {
        lastByte = turn.now
        let isComplete = try head.take(line)
        let limit = load.sink.maximumHeaderBytes
        if head.fieldBytes > limit { throw .limitExceeded(.headerBytes, value: head.fieldBytes, allowed: limit) }
        if isComplete { try begin() }
        return line.count
    }

    private func begin() throws(ImageLoaderError) {
        if head.isMultiplexed { turn.multiplexed.insert(origin) }
        connection?.respond(isMultiplexed: head.isMultiplexed)
        let fields = HTTPHeaders(head.fields)
        if DataRequest.isRedirect(head.status), let location = try fields.redirectLocation() {
            load.sink.record(redirect: head.status, to: location, fields)
            try deliver { () throws(ImageLoaderError) in
                next = try request.redirected(status: head.status, to: location)
            }
            turn.redirected.append(self)
        } else {
            let response = try head.response(to: request)
            try deliver { () throws(ImageLoaderError) in
                recordConnection()
                load.sink.onDemand { [mailbox = turn.mailbox, weak load] in
                    if let load { mailbox.post(.resume(load)) }
                }
                try load.sink.begin(response)
            }
        }
    }

    private func beginBody() throws(ImageLoaderError) {
        hasBody = true
        let asked = CurlOptions.acceptedCodings(request.headers)
        let headers = HTTPHeaders(head.fields)
        guard let coding = try ContentCoding.coding(of: headers, asked: asked, canDecode: { $0.isDecodable }) else {
            return
        }
        guard let decoder = coding.makeDecoder() else {
            throw .connectionFailed(.other, detail: TransportDetail("no memory to decode \(coding.rawValue)"))
        }
        coded = CodedBody(load, decoder, turn.decoding, turn.mailbox)
    }

    /// Returns the number of bytes that were taken. Fewer than given end the transfer; `CURL_WRITEFUNC_PAUSE` pauses
    /// it.
    private func takeBody(_ bytes: UnsafeRawBufferPointer) throws(ImageLoaderError) -> Int {
        if next != nil {
            drained += bytes.count
            return drained <= Self.drainLimit ? bytes.count : 0
        }
        if !hasBody { try beginBody() }
        guard coded?.hasRoom() ?? (load.sink.demand != .nothing) else { return pause() }
        if coded == nil { lastByte = turn.now }
        guard bytes.count < Self.smallChunk else {
            try deliverGathered()
            if let coded {
                coded.append(bytes)
            } else {
                try deliver { () throws(ImageLoaderError) in try load.sink.append(bytes) }
            }
            return bytes.count
        }
        // Further bytes are delivered in one piece at the end of the turn, so that other transfers get their share.
        guard smallChunks < Self.mostSmallChunks else { return pause() }
        smallChunks += 1
        if smallChunks == 1 { turn.gathering.append(self) }
        gathered.append(contentsOf: bytes)
        return bytes.count
    }

    private func pause() -> Int {
        isPaused = true
        return Int(CURL_WRITEFUNC_PAUSE)
    }

    /// Delivers small chunks of the body.
    private func deliverGathered() throws(ImageLoaderError) {
        guard !gathered.isEmpty else { return }
        let chunk = gathered
        gathered.removeAll(keepingCapacity: true)
        if let coded {
            coded.append(chunk)
        } else {
            try deliver { () throws(ImageLoaderError) in try load.sink.append(Data(chunk)) }
        }
    }

    /// Delivers the small chunks of the turn, and lets curl deliver the chunks that it has held back.
    func endTurn() throws(ImageLoaderError) {
        smallChunks = 0
        try deliverGathered()
        resume()
    }

    /// Runs `work`, which calls the sink or the request's hooks. Throws `cancelled` if the caller was cancelled.
    private func deliver(_ work: () throws(ImageLoaderError) -> Void) throws(ImageLoaderError) {
        if load.hasEnded { throw .cancelled }
        try turn.pipeSignal.lifted(work)
    }

    /// Passes bytes to the transfer that is the context of curl's callback. curl ends the transfer unless all are
    /// accepted.
    private static func pass(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, to context: UnsafeMutableRawPointer?,
        by take: (CurlTransfer, UnsafeRawBufferPointer) throws(ImageLoaderError) -> Int
    ) -> Int {
        guard let context, count > 0 else { return 0 }
        let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        do throws(ImageLoaderError) {
            return try take(transfer, UnsafeRawBufferPointer(start: bytes, count: count))
        } catch {
            transfer.failure = error
            return 0
        }
    }
}
#endif
