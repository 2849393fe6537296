import Foundation

/// The attempts of one download, each in a slot.
extension DownloadCoordinator {
    /// Downloads a resource, in as many attempts as it takes.
    func attempts(at download: DownloadState) async throws(ImageLoaderError) -> Download {
        while true {
            if download.networkWait.mayWait, network.isOffline { try await awaitKnownNetwork(download) }
            if requests.prepares { try await prepare(download) }
            let outcome = await withSlot(for: download) { await attempt(download) }
            if case .whole(let body) = outcome { return body }
            try await pause(after: outcome, download)
        }
    }

    // Not inlined, so that thousands of downloads that wait for their slots have small frames.

    /// Lets the program's hook change the request. No slot is held during the call.
    @inline(never) private func prepare(_ download: DownloadState) async throws(ImageLoaderError) {
        download.prepared = try await requests.prepared(download.request)
    }

    /// Waits, without a slot, until the next attempt is due. Throws if there is none.
    @inline(never) private func pause(
        after attempt: DownloadState.Attempt?, _ download: DownloadState
    ) async throws(ImageLoaderError) {
        switch attempt {
        case nil: throw .cancelled
        // Continuing after a yield isn't a retry.
        case .whole, .yielded: return
        case .refused(let question): try await waitForCredentials(download, question)
        case .failed(let error, let head):
            if download.networkWait.mayWait, try await hasAwaitedNetwork(download, after: error) { break }
            guard let delay = retryDelay(of: download, after: error, head) else { throw error }
            guard await time.sleep(for: delay) else { throw .cancelled }
        }
        download.attempt += 1
    }

    private func attempt(_ download: DownloadState) async -> DownloadState.Attempt {
        let sink = makeSink(download)
        download.sink = sink
        counters.started += 1
        begin(download, sink)
        let outcome = await transfer(download, into: sink)
        (download.sink, download.movedHost) = (nil, nil)
        download.continuedBytes = sink.continuedBytes ?? 0
        counters.bytesWasted += sink.wasted
        end(download, outcome, sink)
        do throws(ImageLoaderError) {
            let body = try outcome.get()
            if sink.continuedBytes != nil { counters.resumed += 1 }
            noteRedirects(download, sink)
            return .whole(body)
        } catch {
            return failed(download, error, sink)
        }
    }

    private func makeSink(_ download: DownloadState) -> ResponseSink {
        // A flight that began before a removal must not use a partial body, nor must a request with its own range.
        let mayResume = download.data.method == .get && !download.data.asksForPart && isCurrent(download)
        let partial = mayResume ? partials.take(download.key) : nil
        let share = bodyBudget.share { [control = download.control] in control.priority }
        return download.makeSink(settings, rules, resuming: partial, share, time, onEvent)
    }

    private func begin(_ download: DownloadState, _ sink: ResponseSink) {
        download.wasSent = true
        download.control.advance { $0.start(attempt: download.attempt, receiving: sink.receivedBody) }
        sink.start()
        report(download, .began(.download))
        if sink.rangeFields != nil { report(download, .resumed(from: sink.resumableBytes)) }
    }

    /// Performs the transfer of an attempt. It ends early if others need its slot; see ``endTransfer()``.
    private func transfer(
        _ download: DownloadState, into sink: ResponseSink
    ) async -> Result<Download, ImageLoaderError> {
        let (flight, transfer, stop) = (download.flight, transfer, Promise<Void>())
        let request = settings.authenticate == nil ? download.data : addCredentials(to: download.data, of: download)
        download.stop = stop
        if download.ending != nil { stop.end(()) }
        defer { download.stop = nil }
        return await withTaskCancellationHandler {
            await withTaskGroup { group in
                group.addTask {
                    defer { stop.end(()) }
                    return await transfer.run(request, into: sink) { await self.move(flight, to: $0) }
                }
                await stop.value { stop.end(()) }
                group.cancelAll()
                return await group.next() ?? .failure(.cancelled)
            }
        } onCancel: {
            sink.abandon()
        }
    }

    /// Continues at another origin, with a slot of that origin's host. Returns the request to send, or nil if the
    /// transfer has been cancelled.
    private func move(_ flight: FlightID, to next: DataRequest) async -> DataRequest? {
        guard let download = downloads[flight], await hasSlot(for: download, movedTo: next.url.hostName) else {
            return nil
        }
        return settings.authenticate == nil ? next : addCredentials(to: next, of: download)
    }

    /// Decides how to proceed after a failed attempt, and releases its bytes.
    private func failed(
        _ download: DownloadState, _ outcome: ImageLoaderError, _ sink: ResponseSink
    ) -> DownloadState.Attempt {
        // The transfer may have ended for another reason just before it was stopped.
        let ending = outcome == .cancelled && !Task.isCancelled ? download.ending : nil
        let error = ending == .tooSlow ? .timedOut(.tooSlow) : outcome
        if error == .badStatus(401), let question = question(for: download, sink) {
            release(download, sink, keepsPart: false)
            return .refused(question)
        }
        release(download, sink, keepsPart: ending == .yields || error.leavesPart)
        if ending == .yields { return .yielded }
        download.refusalFreshness = sink.refusalFreshness
        redirects.forget(download.key)
        return .failed(error, sink.head)
    }

    /// Releases the bytes of a failed attempt. They are kept only as a partial body, if they can be continued. Nothing
    /// else may hold them.
    private func release(_ download: DownloadState, _ sink: ResponseSink, keepsPart: Bool) {
        // Only the next attempt may continue the body's file.
        sink.abandon()
        download.control.advance { $0.releaseBody() }
        sink.share?.release()
        guard keepsPart, isCurrent(download), let partial = sink.partial(now: time.secondsSince1970()) else { return }
        partials.keep(partial, for: download.key)
    }

    /// The delay before the next attempt; nil when the failure is final. The failed attempt has released its slot.
    private func retryDelay(
        of download: DownloadState, after error: ImageLoaderError, _ head: ResponseHead?
    ) -> Duration? {
        // A slow transfer leaves its slot to others.
        guard !Task.isCancelled, !(download.ending == .tooSlow && queue.isShort), !download.hasSubstitute,
            let delay = download.retries.delay(
                after: error, headers: head?.headers ?? [:], isIdempotent: download.data.method.isIdempotent,
                host: download.host, budget: &retryBudget, now: time.secondsSince1970())
        else { return nil }
        counters.retried += 1
        report(download, .retried(attempt: download.attempt, error: error, delay: delay))
        return delay
    }

    /// Whether the resource hasn't been removed since its download began.
    func isCurrent(_ download: DownloadState) -> Bool { removals.permits(download.begun, download.key) }
}
