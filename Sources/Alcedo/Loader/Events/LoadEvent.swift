public import Foundation

/// An event of a loader or one of its loads.
///
/// A load begins with ``Kind/requested(_:)`` and ends with ``Kind/loaded(_:source:_:)`` or ``Kind/failed(_:_:)``. In
/// between are its stages. Callers that ask for the same image share its stages, which carry the ``load`` of the caller
/// who came first; they may go on after that caller has ended, for the others or to store what was loaded.
/// Revalidations in the background have nothing but stages.
///
/// The events of one load are delivered in order, those of different loads in any order, on any thread.
public struct LoadEvent: Sendable {
    // Small, because events are copied and recorded.
    /// 0 for nil.
    private let loadNumber: UInt64
    /// The URL that the load asks for; nil for bytes that the program provides, and where ``load`` is nil.
    public let url: URL?
    private let moment: Nanoseconds
    /// The kind of event.
    public let kind: Kind

    /// The load it belongs to: that of the caller, or, for a stage, that of the caller who came first. nil for what a
    /// cache or the loader does on its own.
    public var load: LoadID? { loadNumber == 0 ? nil : LoadID(number: loadNumber) }

    /// When it happened, on the loader's clock: the time since some moment before the loader was created, in whole
    /// nanoseconds. Compare it with that of other events of the loader.
    public var time: Duration { moment.duration }

    /// An event, as a test of an event sink needs it.
    public init(load: LoadID? = nil, url: URL? = nil, time: Duration = .zero, kind: Kind) {
        loadNumber = load?.number ?? 0
        self.url = url
        moment = Nanoseconds(time)
        self.kind = kind
    }

    /// The kinds of events.
    @nonexhaustive
    public enum Kind: Sendable {
        // The largest are indirect, because events are copied and recorded.
        /// A caller asks for an image, or for bytes.
        case requested(ImageRequest)
        /// A caller shares the load that `with` identifies, its download, or what its first processors make. Follows
        /// ``failed(_:_:)`` if the caller is cancelled at that moment.
        case coalesced(with: LoadID)
        /// A stage begins. Stages that don't wait, such as ``LoadStage/memory``, are reported only when they end.
        case began(LoadStage)
        /// A stage has ended.
        case ended(LoadStage, StageOutcome)
        /// Bytes of the body so far, and its whole length if the server announced it.
        case progress(received: Int, expected: Int?)
        /// The attempt to download that has just ended failed; another follows after `delay`. Attempts count from 1.
        indirect case retried(attempt: Int, error: ImageLoaderError, delay: Duration)
        /// Only the rest of a body is requested, as its first bytes are there from an earlier download.
        case resumed(from: Int)
        /// A stale image was shown, and its server has now confirmed it or sent another one, which is in the caches.
        /// The request is that of the first caller. Other requests for its URL may have shown the same image.
        case revalidated(ImageRequest, isChanged: Bool)
        /// A caller got its image or bytes. The outcome says how long the caller waited.
        indirect case loaded(ImageRequest, source: ImageSource, StageOutcome)
        /// A caller got an error, which the outcome has.
        indirect case failed(ImageRequest, StageOutcome)
        /// Entries were removed from disk to meet the limits.
        case diskEvicted([RemovedEntry])
        /// Entries were removed from disk because they expired.
        case diskExpired([RemovedEntry])
        /// A cache couldn't do its work; the load continues without it.
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
