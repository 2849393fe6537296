#if os(Linux) && Curl
import CCurl
import Foundation

/// What one turn of the loop came upon inside curl's callbacks, where curl must not be called.
final class CurlTurn {
    var pipeSignal = PipeSignalMask()
    /// When the turn began.
    var now = ContinuousClock.now
    /// Transfers that are to go on elsewhere.
    var redirected: [CurlTransfer] = []
    /// Origins that answered over HTTP/2.
    var multiplexed: Set<String> = []
}

/// One load on the loader's thread, from hop to hop.
final class CurlTransfer {
    let ticket: CurlTicket
    private(set) var request: DataRequest
    private(set) var origin: String
    /// The handle of the present hop, nil while it waits for its turn.
    var handle: CurlHandle?
    private(set) var head = CurlHead()
    /// Where a redirect leads.
    private(set) var next: DataRequest?
    /// Why the transfer was stopped from within.
    private(set) var failure: ImageLoaderError?
    /// From 1 ms to a day, which is as good as for ever.
    let idleTimeout: Duration
    private var lastByte: ContinuousClock.Instant
    private var sentBytes = 0
    private var drained = 0
    private let turn: CurlTurn

    /// Bytes of a redirect's body that are read, so that the connection can be kept; the redirect does not wait for
    /// them.
    private static let drainLimit = 16 << 10

    init(_ ticket: CurlTicket, _ turn: CurlTurn) {
        self.ticket = ticket
        self.turn = turn
        request = ticket.request.withCredentialsAsField()
        origin = request.url.hostKey
        idleTimeout = min(max(.milliseconds(1), request.idleTimeout), .seconds(86_400))
        lastByte = turn.now
    }

    /// Whether it may write through TLS: to its origin or to a proxy.
    var mayUseTLS: Bool { origin.hasPrefix("https:") || Self.hasSecureProxy }

    /// Whether curl may reach a proxy for http over TLS. These are the variables that it reads.
    private static let hasSecureProxy = ["http_proxy", "all_proxy", "ALL_PROXY"].contains { (name: String) in
        getenv(name).map { String(cString: $0).lowercased().hasPrefix("https:") } ?? false
    }

    /// When it runs out of time unless a byte comes.
    var deadline: ContinuousClock.Instant { lastByte + idleTimeout }

    /// Tells the handle what to do; from now on the idle time runs.
    func prepare(_ handle: CurlHandle, _ options: CurlOptions) throws(ImageLoaderError) {
        self.handle = handle
        lastByte = turn.now
        sentBytes = 0
        try options.apply(request, origin: origin, timeout: idleTimeout, to: handle)
        let context = Unmanaged.passUnretained(self).toOpaque()
        handle.set(CURLOPT_PRIVATE, context)
        handle.set(CURLOPT_HEADERDATA, context)
        handle.set(CURLOPT_HEADERFUNCTION, onLine)
        handle.set(CURLOPT_WRITEDATA, context)
        handle.set(CURLOPT_WRITEFUNCTION, onBody)
    }

    /// The transfer of a handle that curl names.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        alcedo_curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Turns to the place that a redirect named.
    func follow(_ next: DataRequest) {
        request = next.withCredentialsAsField()
        origin = next.url.hostKey
        self.next = nil
        head = CurlHead()
        drained = 0
    }

    /// Whether no byte has come or gone for the idle time. Bytes that go are seen here only, so they count from now.
    func hasTimedOut() -> Bool {
        guard deadline <= turn.now else { return false }
        let sent = handle?.sentBytes ?? 0
        guard sent > sentBytes, request.body != nil else { return true }
        sentBytes = sent
        lastByte = turn.now
        return false
    }

    // MARK: Callbacks

    fileprivate func takeLine(_ line: UnsafeRawBufferPointer) -> Bool {
        lastByte = turn.now
        do throws(ImageLoaderError) {
            let isComplete = try head.take(line)
            let limit = ticket.sink.maximumHeaderBytes
            if head.fieldBytes > limit {
                throw .limitExceeded(.headerBytes, value: head.fieldBytes, allowed: limit)
            }
            if isComplete { try begin() }
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func begin() throws(ImageLoaderError) {
        if head.isMultiplexed { turn.multiplexed.insert(origin) }
        if DataRequest.isRedirect(head.status), let location = try HTTPHeaders(head.fields).redirectLocation() {
            try deliver { () throws(ImageLoaderError) in
                next = try request.redirected(status: head.status, to: location)
            }
            turn.redirected.append(self)
        } else {
            if head.codings.areUnknown { handle?.stopDecoding() }
            let response = try head.response(to: request)
            try deliver { () throws(ImageLoaderError) in try ticket.sink.begin(response) }
        }
    }

    fileprivate func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        lastByte = turn.now
        if next != nil {
            drained += bytes.count
            return drained <= Self.drainLimit
        }
        do throws(ImageLoaderError) {
            try deliver { () throws(ImageLoaderError) in try ticket.sink.append(bytes) }
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Runs `work`, which calls the sink or the request's hooks; see ``CurlTicket/deliver(_:)``.
    private func deliver(_ work: () throws(ImageLoaderError) -> Void) throws(ImageLoaderError) {
        try turn.pipeSignal.lifted { () throws(ImageLoaderError) in try ticket.deliver(work) }
    }
}

/// What is not taken in whole ends the transfer.
private func onLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context, size * count > 0 else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

private func onBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context, size * count > 0 else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}
#endif
