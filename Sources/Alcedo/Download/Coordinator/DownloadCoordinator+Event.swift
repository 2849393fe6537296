public import Foundation

extension DownloadCoordinator {
    /// An event of a download.
    ///
    /// The events of one download are delivered in order.
    public struct Event: Sendable {
        /// The ID of the load that started the download.
        ///
        /// Loads that share the download have their own IDs.
        public let load: LoadID
        /// The URL in its normal form; see <doc:URLs>.
        public let url: URL
        /// What happened.
        public let kind: Kind

        init(_ control: LoadControl, _ url: URL, _ kind: Kind) {
            (load, self.url, self.kind) = (control.id, url, kind)
        }

        /// A kind of event.
        @nonexhaustive
        public enum Kind: Sendable {
            /// The load shares another load's download. The stages carry that load's ID.
            case coalesced(with: LoadID)
            /// A stage begins: ``LoadStage/queued``, ``LoadStage/offline`` or ``LoadStage/download``. Callers that
            /// share a download share its stages.
            case began(LoadStage)
            /// A stage has ended: one that began, or ``LoadStage/connect`` or ``LoadStage/firstByte``, which are parts
            /// of ``LoadStage/download``.
            case ended(LoadStage, StageOutcome)
            /// The bytes of the body received so far, and its full length if the server announced it.
            case progress(received: Int, expected: Int?)
            /// The attempt that has just ended failed, and another follows after `delay`.
            ///
            /// `attempt` is the failed one, counted from 1.
            case retried(attempt: Int, error: ImageLoaderError, delay: Duration)
            /// Only the rest of the body is requested, because an earlier download received its first bytes.
            case resumed(from: Int)
            /// A large body is received into memory, because its file can't be written.
            case keptInMemory(CacheFailure)
        }
    }

    package typealias Report = @Sendable (Event) -> Void
}
