package import Foundation

extension DownloadCoordinator {
    /// What happens to downloads, for an observer of all of them.
    package enum Event: Sendable {
        case queued(URL)
        case started(URL)
        case progress(URL, received: Int, expected: Int?)
        case retried(URL, attempt: Int, error: ImageLoaderError, delay: Duration)
        case resumed(URL, from: Int)
        case ended(URL, bytes: Int, error: ImageLoaderError?)
    }

    package typealias Report = @Sendable (Event) -> Void
}
