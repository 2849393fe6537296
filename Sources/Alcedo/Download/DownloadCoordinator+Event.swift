public import Foundation

extension DownloadCoordinator {
    /// Something that happened to a download. The events of one download are delivered in order.
    public struct Event: Sendable {
        /// The load that started the download. Loads that share it have ids of their own.
        public let load: LoadID
        /// The URL as the request spelled it.
        public let url: URL
        /// What happened.
        public let kind: Kind

        /// What happened to a download.
        @nonexhaustive
        public enum Kind: Sendable {
            /// It waits for a slot. If all its callers leave before it gets one, ``ended(bytes:error:)`` is next.
            case queued
            /// A request is sent. Callers that share a download cause one.
            case started
            /// Bytes of the body so far, and its whole length if the server announced it.
            case progress(received: Int, expected: Int?)
            /// An attempt failed, and another follows after `delay`; attempts count from 1.
            case retried(attempt: Int, error: ImageLoaderError, delay: Duration)
            /// Only the rest of the body is requested, as its first bytes are there from an earlier download.
            case resumed(from: Int)
            /// The download has ended; `error` is nil if it is complete.
            case ended(bytes: Int, error: ImageLoaderError?)
        }
    }

    package typealias Report = @Sendable (Event) -> Void
}
