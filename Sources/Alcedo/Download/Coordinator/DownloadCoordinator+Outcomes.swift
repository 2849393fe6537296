import Foundation

/// The statistics, events and remembered failures and redirects of downloads.
extension DownloadCoordinator {
    /// Counts the end of a download, and remembers its failure.
    func end(_ download: DownloadState, _ result: Result<Download, ImageLoaderError>) {
        var failure: ImageLoaderError?
        switch result {
        case .success(let body):
            counters.succeeded += 1
            counters.bytesReceived += body.content.count - download.continuedBytes
            retryBudget.recordSuccess(of: download.host)
            if !failures.isEmpty { failures.forget(download.key) }
        case .failure(let error):
            failure = error
            if error == .cancelled { counters.cancelled += 1 } else { counters.failed += 1 }
            if isCurrent(download) {
                failures.record(
                    download.key, error, from: download.url, freshness: download.refusalFreshness, now: time.now())
            }
        }
        download.control.advance { $0.end(failure) }
        if download.queuedAt != nil { endWait(of: download, at: time.now(), failure) }
        if let failure, failure != .cancelled, !download.wasSent {
            report(refusal: failure) { Event(download.control, download.url, $0) }
        }
    }

    func report(_ download: DownloadState, _ kind: Event.Kind) { onEvent?(Event(download.control, download.url, kind)) }

    /// Reports a download that ended before its first attempt, as if it had waited for a slot.
    func report(refusal error: ImageLoaderError, _ event: (Event.Kind) -> Event) {
        guard let onEvent else { return }
        onEvent(event(.began(.queued)))
        onEvent(event(.ended(.queued, StageOutcome(duration: .zero, error: error))))
    }

    /// Records how long a download waited, once it has its slot or has ended.
    func endWait(of download: DownloadState, at now: Duration, _ error: ImageLoaderError? = nil) {
        guard let began = download.queuedAt.take() else { return }
        if error == nil { counters.slotWaits.record(now - began) }
        guard download.isReportedAsQueued else { return }
        download.isReportedAsQueued = false
        report(download, .ended(.queued, StageOutcome(duration: now - began, error: error)))
    }

    /// Records the duration of an attempt that has begun.
    func end(_ download: DownloadState, _ outcome: Result<Download, ImageLoaderError>, _ sink: ResponseSink) {
        guard let time = sink.elapsed else { return }
        var flags: LoadFlags = sink.continuedBytes == nil ? [] : .resumed
        var failure: ImageLoaderError?
        switch outcome {
        case .success(let download):
            counters.transfers.record(time)
            if download.isConfirmation { flags.insert(.revalidated) }
        case .failure(let error): failure = error
        }
        guard onEvent != nil else { return }
        if let failure, let connecting = sink.failedConnectTime {
            report(download, .ended(.connect, StageOutcome(duration: connecting, error: failure)))
        }
        let end = StageOutcome(duration: time, bytes: sink.received, flags: flags, error: failure)
        report(download, .ended(.download, end))
    }

    /// The recent failure with which a download would end, or for which a stale response is used.
    func failure(for key: ResourceKey, _ request: ImageRequest) -> ImageLoaderError? {
        let now = time.now()
        if let error = failures.error(for: key, from: request.url, now: now) { return error }
        guard let error = failures.errorBeforeFallback(for: key, from: request.url, now: now), error.permitsStale,
            request.hasSubstitute(at: time.secondsSince1970())
        else { return nil }
        return error
    }

    /// The request, redirected as an earlier one was, and the freshness of these redirects.
    func redirected(_ request: DataRequest, _ key: ResourceKey) -> (DataRequest, Freshness?) {
        var next = request
        var freshness: Freshness?
        do throws(ImageLoaderError) {
            for hop in redirects.redirects(of: key, from: request.url, at: time.secondsSince1970()) {
                next = try next.redirected(status: hop.status, to: hop.location).withCredentialsAsField()
                freshness = freshness?.limited(by: hop.freshness) ?? hop.freshness
            }
            return (next, freshness)
        } catch {
            // The transport will meet the redirect, and report why it isn't followed.
            return (request, nil)
        }
    }

    func noteRedirects(_ download: DownloadState, _ sink: ResponseSink) {
        let hops = sink.redirects
        guard !hops.isEmpty || redirects.count > 0 else { return }
        guard download.redirects == nil, download.data.method == .get, isCurrent(download) else { return }
        redirects.record(download.key, from: download.data.url, hops)
    }
}
