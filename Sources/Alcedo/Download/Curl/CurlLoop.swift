#if os(Linux) && Curl
import CCurl
import Foundation

/// A loader's thread. Every call into curl is made here, except the one that wakes the thread.
///
/// It is created and destroyed on its own thread, and owns every handle.
final class CurlLoop {
    private let mailbox: CurlMailbox
    private let multi: UnsafeMutableRawPointer
    private let options: CurlOptions
    private let turn: CurlTurn
    private var transfers: [ObjectIdentifier: CurlTransfer] = [:]
    private var slots: CurlSlots<ObjectIdentifier>
    /// Transfers that have a slot and start in the next iteration.
    private var ready: [CurlTransfer] = []
    /// Unused handles.
    private var handles: [CurlHandle] = []
    /// The number of transfers that have a handle.
    private var activeCount = 0 { didSet { keepConnections() } }
    /// The number of connections that curl keeps open.
    private var keptConnections = 0
    /// No transfer times out before this time.
    private var earliestDeadline: ContinuousClock.Instant?
    /// The longest sleep in milliseconds.
    private let sleepLimit: Int
    /// The longest sleep in milliseconds while transfers share a connection. Reading one transfer may bring data for
    /// others, and curl (observed with 7.88) may then sleep until the server sends more, unless it wakes up by itself.
    private static let sharingSleepLimit = 20

    private static let mostFreeHandles = 64
    /// The result of curl_global_init, called once per process.
    private static let isInitialized = {
        defer { CurlExit.register() }
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    init(_ mailbox: CurlMailbox, _ settings: TransportSettings) {
        precondition(Self.isInitialized, "libcurl could not be initialized")
        guard let multi = curl_multi_init() else { preconditionFailure("out of memory") }
        self.mailbox = mailbox
        turn = CurlTurn(mailbox)
        self.multi = multi
        let width = settings.maximumConnectionsPerHost.map { min(max(1, $0), 10_000) }
        alcedo_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, width ?? 0)
        var cookies: UnsafeMutableRawPointer?
        if settings.keepsCookies {
            cookies = curl_share_init()
            alcedo_curl_share_cookies(cookies)
        }
        options = CurlOptions(settings, cookies: cookies)
        if cookies != nil {
            let handle = CurlHandle()
            handle.set(CURLOPT_SHARE, cookies)
            for cookie in mailbox.takeCookies() { handle.set(CURLOPT_COOKIELIST, cookie) }
        }
        slots = CurlSlots(connectionsPerHost: width ?? .max)
        // If curl has no descriptor to be woken by, the loop polls.
        sleepLimit = curl_multi_wakeup(multi) == CURLM_OK ? 3_600_000 : 20
    }

    /// Runs until there are no transfers and the loader has been released or is to rest, then releases everything.
    func run() {
        var commands: [CurlMailbox.Command] = []
        while true {
            let closing = mailbox.take(&commands)
            turn.now = .now
            CurlExit.calling {
                for command in commands { perform(command) }
                if closing == .no || !transfers.isEmpty { goOn() }
            }
            commands.removeAll(keepingCapacity: true)
            if closing != .no, transfers.isEmpty, mailbox.end(leaving: cookies) { break }
            // Other loads keep the thread running.
            if closing == .forNow { mailbox.endRest() }
            sleep(isClosing: closing == .forGood)
        }
        CurlExit.calling { cleanUp() }
        mailbox.endRest()
    }

    /// The cookies so far.
    private var cookies: [String] {
        guard options.cookies != nil else { return [] }
        var cookies: [String] = []
        CurlExit.calling {
            let handle = CurlHandle()
            handle.set(CURLOPT_SHARE, options.cookies)
            cookies = handle.cookies
        }
        return cookies
    }

    private func cleanUp() {
        handles = []
        curl_multi_cleanup(multi)
        if let cookies = options.cookies { curl_share_cleanup(cookies) }
    }

    private func perform(_ command: CurlMailbox.Command) {
        switch command {
        case .start(let load):
            guard !load.hasEnded else { return load.close() }
            let transfer = CurlTransfer(load, turn)
            transfers[transfer.id] = transfer
            enter(transfer)
        case .stop(let load):
            if let transfer = transfers[ObjectIdentifier(load)] { end(transfer, .failure(.cancelled)) }
        case .resume(let load):
            if let transfer = transfers[ObjectIdentifier(load)] { resume(transfer) }
        case .decoded(let load, let outcome):
            if let transfer = transfers[ObjectIdentifier(load)] { end(transfer, outcome) }
        }
    }

    // MARK: One iteration

    private func goOn() {
        launchReady()
        var running: Int32 = 0
        turn.number += 1
        curl_multi_perform(multi, &running)
        deliverGathered()
        takeMessages()
        for origin in turn.multiplexed { admit(slots.multiplex(origin)) }
        turn.multiplexed.removeAll(keepingCapacity: true)
        let redirected = turn.redirected
        turn.redirected.removeAll(keepingCapacity: true)
        for transfer in redirected { follow(transfer) }
        endTimedOut()
    }

    /// Delivers small chunks, and then those that curl has held back in the meantime, which may be small as well.
    private func deliverGathered() {
        while !turn.gathering.isEmpty {
            let gathering = turn.gathering
            turn.gathering.removeAll(keepingCapacity: true)
            for transfer in gathering where transfer.handle != nil {
                do throws(ImageLoaderError) {
                    try transfer.endTurn()
                    if let error = transfer.failure { throw error }
                } catch {
                    end(transfer, .failure(error))
                }
            }
        }
    }

    private func resume(_ transfer: CurlTransfer) {
        if case .end(let error) = transfer.load.sink.demand { return end(transfer, .failure(error)) }
        transfer.resume()
        if let error = transfer.failure { end(transfer, .failure(error)) }
    }

    private func takeMessages() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left)?.pointee {
            guard message.msg == CURLMSG_DONE, let transfer = CurlTransfer.of(message.easy_handle) else { continue }
            // A redirect is followed even if reading its body failed.
            guard transfer.next == nil else { continue }
            if message.data.result == CURLE_ABORTED_BY_CALLBACK, transfer.failure == nil {
                repeatRequest(of: transfer)
            } else {
                finish(transfer, outcome(of: transfer, message.data.result))
            }
        }
    }

    /// Repeats a request over another connection. curl has closed the one that it wanted to use, because it wasn't
    /// clean.
    private func repeatRequest(of transfer: CurlTransfer) {
        giveBackHandle(of: transfer)
        ready.append(transfer)
    }

    /// Releases the connection of a transfer, and ends the transfer once its body is decoded.
    private func finish(_ transfer: CurlTransfer, _ outcome: TransportLoad.Outcome) {
        guard case .success = outcome, let coded = transfer.coded else { return end(transfer, outcome) }
        leave(transfer)
        coded.finish()
    }

    private func outcome(of transfer: CurlTransfer, _ code: CURLcode) -> TransportLoad.Outcome {
        if code == CURLE_OK, transfer.failure == nil, transfer.head.isComplete { return .success(()) }
        let error =
            transfer.failure ?? transfer.addresses.refusal(code)
            ?? ImageLoaderError(
                code, text: transfer.handle?.text(code) ?? "", head: transfer.head, sink: transfer.load.sink,
                codedBytes: transfer.coded?.receivedBytes, request: transfer.request,
                isReused: transfer.handle?.hasReusedConnection ?? false)
        return error.map { .failure($0) } ?? .success(())
    }

    private func follow(_ transfer: CurlTransfer) {
        guard let next = transfer.next else { return }
        if transfer.load.sink.takes(redirectTo: next, from: transfer.request) { return end(transfer, .success(())) }
        leave(transfer)
        transfer.follow(next)
        enter(transfer)
    }

    private func endTimedOut() {
        guard let earliest = earliestDeadline, earliest <= turn.now else { return }
        let started = transfers.values.filter { $0.handle != nil }
        for transfer in started where transfer.hasTimedOut() { end(transfer, .failure(.timedOut(.idle))) }
        earliestDeadline = transfers.values.lazy.filter { $0.handle != nil }.map(\.deadline).min()
    }

    private func sleep(isClosing: Bool) {
        guard ready.isEmpty else { return }
        let remaining = earliestDeadline.map { max(.zero, ContinuousClock.now.duration(to: $0)).wholeMilliseconds }
        guard mailbox.maySleep(on: UInt(bitPattern: multi), isClosing: isClosing) else { return }
        let limit = slots.isSharing ? min(Self.sharingSleepLimit, sleepLimit) : sleepLimit
        curl_multi_poll(multi, nil, 0, Int32(min(limit, remaining ?? limit)), nil)
    }

    // MARK: Transfers

    private func enter(_ transfer: CurlTransfer) {
        if slots.enter(transfer.id, transfer.origin) { admit([transfer.id]) }
    }

    /// Marks transfers as ready. They are launched later, because a transfer that can't start gives its slot to the
    /// next one, which may not start either.
    private func admit(_ ids: [ObjectIdentifier]) {
        for id in ids {
            guard let transfer = transfers[id] else { continue }
            transfer.hasSlot = true
            ready.append(transfer)
        }
    }

    /// Launches the ready transfers, including those that become ready in the process.
    private func launchReady() {
        var next = 0
        while next < ready.count {
            let transfer = ready[next]
            next += 1
            if transfer.hasSlot, transfer.handle == nil { launch(transfer) }
        }
        ready.removeAll(keepingCapacity: true)
    }

    private func launch(_ transfer: CurlTransfer) {
        if transfer.load.hasEnded { return end(transfer, .failure(.cancelled)) }
        let handle = handles.popLast() ?? CurlHandle()
        activeCount += 1
        if transfer.mayUseTLS { turn.pipeSignal.engage() }
        do throws(ImageLoaderError) {
            try transfer.prepare(handle, options)
            curl_multi_add_handle(multi, handle.easy)
            earliestDeadline = min(earliestDeadline ?? transfer.deadline, transfer.deadline)
        } catch {
            end(transfer, .failure(error))
        }
    }

    /// By default, curl keeps four times as many connections as are currently in use. This keeps four times the highest
    /// number so far, and at least 32.
    private func keepConnections() {
        let count = max(32, 4 * activeCount)
        guard count > keptConnections else { return }
        keptConnections = count
        alcedo_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, count)
    }

    /// Removes the transfer, then resumes the caller.
    private func end(_ transfer: CurlTransfer, _ outcome: TransportLoad.Outcome) {
        if case .failure(let error) = outcome { transfer.recordConnection(endingWith: error) }
        leave(transfer)
        transfer.load.end(outcome)
        // Nothing may be delivered after the caller has resumed.
        guard transfer.coded?.stop() ?? true else { return }
        transfers[transfer.id] = nil
        turn.pipeSignal.lifted { transfer.load.close() }
    }

    /// Ends the current hop. A connection in the middle of a response is closed.
    private func leave(_ transfer: CurlTransfer) {
        giveBackHandle(of: transfer)
        guard transfer.hasSlot else { return slots.remove(transfer.id, transfer.origin) }
        transfer.hasSlot = false
        admit(slots.leave(transfer.origin))
    }

    private func giveBackHandle(of transfer: CurlTransfer) {
        guard let handle = transfer.handle.take() else { return }
        activeCount -= 1
        curl_multi_remove_handle(multi, handle.easy)
        if CurlHandle.isReusable, handles.count < Self.mostFreeHandles {
            if handle.holdsBody { handle.reset() }
            handles.append(handle)
        }
    }
}
#endif
