public import Foundation

/// What a loader does, as it happens.
///
/// The events of one download come in order; those of different loads in any order, from any thread.
@nonexhaustive
public enum LoadEvent: Sendable {
    /// A caller shares the load of an earlier one.
    case coalesced(ImageRequest)
    /// A download waits until one of those under way has ended. When all its callers leave before its turn comes, its
    /// end is the next event.
    case downloadQueued(URL)
    /// A request is sent. Callers that share a download cause one.
    case downloadStarted(URL)
    /// Bytes of the body so far, and its whole length when the server announced it.
    case downloadProgress(URL, received: Int, expected: Int?)
    /// An attempt failed, and another one is made after `delay`; attempts count from 1.
    case downloadRetried(URL, attempt: Int, error: ImageLoaderError, delay: Duration)
    /// A request is sent for the rest of a body only, as its first bytes are there from an earlier one.
    case downloadResumed(URL, from: Int)
    /// A download is over; `error` is nil when it is complete.
    case downloadEnded(URL, bytes: Int, error: ImageLoaderError?)
    /// A caller got its picture.
    case loaded(ImageRequest, source: ImageSource)
    /// A caller got an error.
    case failed(ImageRequest, ImageLoaderError)
    /// Entries were removed from disk, as the limits of the cache would not be kept with them.
    case diskEvicted([RemovedEntry])
    /// Entries were removed from disk, as their time was over.
    case diskExpired([RemovedEntry])
    /// A cache could not do its work, and the load goes on without it.
    case cacheFailed(CacheFailure)
}

package typealias EventReport = @Sendable (LoadEvent) -> Void

extension LoadEvent {
    package init(_ event: DownloadCoordinator.Event) {
        self =
            switch event {
            case .queued(let url): .downloadQueued(url)
            case .started(let url): .downloadStarted(url)
            case .progress(let url, let received, let expected):
                .downloadProgress(url, received: received, expected: expected)
            case .retried(let url, let attempt, let error, let delay):
                .downloadRetried(url, attempt: attempt, error: error, delay: delay)
            case .resumed(let url, let offset): .downloadResumed(url, from: offset)
            case .ended(let url, let bytes, let error): .downloadEnded(url, bytes: bytes, error: error)
            }
    }

    init(_ removal: DiskRemoval) {
        self =
            switch removal {
            case .evicted(let entries): .diskEvicted(entries)
            case .expired(let entries): .diskExpired(entries)
            }
    }
}
