public import Foundation

/// An event of a loader or one of its loads.
///
/// The events of one download are delivered in order. Those of different loads are delivered in any order, on any
/// thread.
public struct LoadEvent: Sendable {
    /// The load it belongs to: that of the caller, or, for a download, that of the caller who started it. nil for what
    /// a cache or the loader does on its own.
    public let load: LoadID?
    /// The kind of event.
    public let kind: Kind

    /// An event, as a test of an event handler needs it.
    public init(load: LoadID? = nil, kind: Kind) {
        self.load = load
        self.kind = kind
    }

    /// The kinds of events.
    @nonexhaustive
    public enum Kind: Sendable {
        /// A caller shares the load that `with` identifies.
        case coalesced(ImageRequest, with: LoadID)
        /// A download waits for a slot. If all its callers leave before it gets one, ``downloadEnded(_:bytes:error:)``
        /// is next.
        case downloadQueued(URL)
        /// A request is sent. Callers that share a download cause one.
        case downloadStarted(URL)
        /// Bytes of the body so far, and its whole length if the server announced it.
        case downloadProgress(URL, received: Int, expected: Int?)
        /// An attempt failed, and another follows after `delay`; attempts count from 1.
        case downloadRetried(URL, attempt: Int, error: ImageLoaderError, delay: Duration)
        /// Only the rest of a body is requested, as its first bytes are there from an earlier download.
        case downloadResumed(URL, from: Int)
        /// A download has ended; `error` is nil if it is complete.
        case downloadEnded(URL, bytes: Int, error: ImageLoaderError?)
        /// A stale image was shown, and its server has now confirmed it or sent another one, which is in the caches.
        case revalidated(ImageRequest, isChanged: Bool)
        /// A caller got its image.
        case loaded(ImageRequest, source: ImageSource)
        /// A caller got an error.
        case failed(ImageRequest, ImageLoaderError)
        /// Entries were removed from disk to meet the limits.
        case diskEvicted([RemovedEntry])
        /// Entries were removed from disk because they expired.
        case diskExpired([RemovedEntry])
        /// A cache couldn't do its work; the load continues without it.
        case cacheFailed(CacheFailure)
        /// The loader's configuration is invalid, and all its loads throw this error.
        case misconfigured(ImageLoaderError)
    }
}

package typealias EventReport = @Sendable (LoadEvent) -> Void

extension LoadEvent {
    package init(_ event: DownloadCoordinator.Event) {
        let url = event.url
        load = event.load
        kind =
            switch event.kind {
            case .queued: .downloadQueued(url)
            case .started: .downloadStarted(url)
            case .progress(let received, let expected):
                .downloadProgress(url, received: received, expected: expected)
            case .retried(let attempt, let error, let delay):
                .downloadRetried(url, attempt: attempt, error: error, delay: delay)
            case .resumed(let offset): .downloadResumed(url, from: offset)
            case .ended(let bytes, let error): .downloadEnded(url, bytes: bytes, error: error)
            }
    }

    init(_ event: DiskStore.Event) {
        load = nil
        kind =
            switch event {
            case .evicted(let entries): .diskEvicted(entries)
            case .expired(let entries): .diskExpired(entries)
            case .failed(let failure): .cacheFailed(failure)
            }
    }
}
