public import Foundation

/// An event of a loader or one of its loads.
///
/// A load begins with ``Kind/requested(_:)`` and ends with ``Kind/loaded(_:source:_:)`` or ``Kind/failed(_:_:)``. Its
/// stages are reported in between. Callers that ask for the same image share its stages, which carry the ``load`` of
/// the first caller. Stages may continue after that caller's load has ended, for other callers or to store the result.
/// Background revalidations report only stages and ``Kind/revalidated(_:isChanged:)``.
///
/// The events of one load are delivered in order, and those of different loads in any order, on any thread.
public struct LoadEvent: Sendable {
    // Kept small, because events are copied and recorded.
    /// 0 for nil.
    private let loadNumber: UInt64
    /// The URL of the load; nil for bytes that the program provides, and if ``load`` is nil.
    public let url: URL?
    private let moment: Nanoseconds
    /// The kind of event.
    public let kind: Kind

    /// The load that the event belongs to: the caller's load or, for a stage, the first caller's load. Nil for work
    /// that a cache or the loader does on its own.
    public var load: LoadID? { loadNumber == 0 ? nil : LoadID(number: loadNumber) }

    /// The time of the event on the loader's clock, in whole nanoseconds since some moment before the loader was
    /// created. Compare it only with the times of other events of the same loader.
    public var time: Duration { moment.duration }

    /// Creates an event, for tests of event sinks.
    public init(load: LoadID? = nil, url: URL? = nil, time: Duration = .zero, kind: Kind) {
        loadNumber = load?.number ?? 0
        self.url = url
        moment = Nanoseconds(time)
        self.kind = kind
    }

    /// The kinds of events.
    @nonexhaustive
    public enum Kind: Sendable {
        // The largest cases are indirect, because events are copied and recorded.
        /// A caller asks for an image, or for bytes.
        case requested(ImageRequest)
        /// A caller shares the load that `with` identifies, its download, or the result of its first processors.
        /// Follows ``failed(_:_:)`` if the caller is cancelled at that moment.
        case coalesced(with: LoadID)
        /// A stage begins. Stages that don't wait, such as ``LoadStage/memory``, are reported only when they end.
        case began(LoadStage)
        /// A stage has ended.
        case ended(LoadStage, StageOutcome)
        /// The number of body bytes received so far, and the length of the whole body if the server announced it.
        case progress(received: Int, expected: Int?)
        /// A download attempt has failed, and another one follows after `delay`. Attempts are counted from 1.
        indirect case retried(attempt: Int, error: ImageLoaderError, delay: Duration)
        /// Only the rest of a body is requested, because an earlier download received its first bytes.
        case resumed(from: Int)
        /// A stale image was returned, and its server has now confirmed it or sent a new one, which is in the caches.
        /// The request is that of the first caller. Other requests for its URL may have returned the same image.
        case revalidated(ImageRequest, isChanged: Bool)
        /// A caller got its image or bytes. The outcome contains the time that the caller waited.
        indirect case loaded(ImageRequest, source: ImageSource, StageOutcome)
        /// A caller got an error, which is part of the outcome.
        indirect case failed(ImageRequest, StageOutcome)
        /// Entries were removed from disk to meet the limits.
        case diskEvicted([RemovedEntry])
        /// Entries were removed from disk because they expired.
        case diskExpired([RemovedEntry])
        /// A cache operation failed. The load continues without the cache.
        indirect case cacheFailed(CacheFailure)
        /// The loader's configuration is invalid, and all its loads throw this error.
        case misconfigured(ImageLoaderError)
    }
}

extension LoadEvent.Kind {
    package init(_ event: DownloadCoordinator.Event.Kind) {
        self =
            switch event {
            case .coalesced(let leader): .coalesced(with: leader)
            case .began(let stage): .began(stage)
            case .ended(let stage, let outcome): .ended(stage, outcome)
            case .progress(let received, let expected): .progress(received: received, expected: expected)
            case .retried(let attempt, let error, let delay): .retried(attempt: attempt, error: error, delay: delay)
            case .resumed(let offset): .resumed(from: offset)
            case .keptInMemory(let failure): .cacheFailed(failure)
            }
    }

    init(_ event: DiskStore.Event) {
        self =
            switch event {
            case .evicted(let entries): .diskEvicted(entries)
            case .expired(let entries): .diskExpired(entries)
            case .failed(let failure): .cacheFailed(failure)
            }
    }
}
