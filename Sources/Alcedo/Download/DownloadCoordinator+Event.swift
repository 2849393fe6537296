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
        /// The URL as spelled in the request.
        public let url: URL
        /// What happened.
        public let kind: Kind

        /// A kind of event.
        @nonexhaustive
        public enum Kind: Sendable {
            /// The download waits for a slot.
            ///
            /// If all its callers leave before it gets one, ``ended(bytes:error:)`` is the next event.
            case queued
            /// A request is being sent.
            ///
            /// Callers that share the download share this request.
            case started
            /// The bytes of the body received so far, and its full length if the server announced it.
            case progress(received: Int, expected: Int?)
            /// An attempt failed, and another follows after `delay`.
            ///
            /// `attempt` is the failed one, counted from 1.
            case retried(attempt: Int, error: ImageLoaderError, delay: Duration)
            /// Only the rest of the body is requested, because an earlier download received its first bytes.
            case resumed(from: Int)
            /// The download has ended.
            ///
            /// `error` is nil if it completed.
            case ended(bytes: Int, error: ImageLoaderError?)
        }
    }

    package typealias Report = @Sendable (Event) -> Void
}
