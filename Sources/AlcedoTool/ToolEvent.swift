import Alcedo
import Foundation

/// What the commands want to know of a loader's events.
enum ToolEvent: Sendable {
    /// A request is sent.
    case downloadStarted(URL)
    /// Bytes of the body so far, and its whole length if the server announced it.
    case downloadProgress(URL, received: Int, expected: Int?)
    case downloadEnded(URL, bytes: Int, error: ImageLoaderError?)
    case cacheFailed(CacheFailure)
}

extension ToolEvent {
    init?(_ event: LoadEvent) {
        switch event.kind {
        case .downloadStarted(let url): self = .downloadStarted(url)
        case .downloadProgress(let url, let received, let expected):
            self = .downloadProgress(url, received: received, expected: expected)
        case .downloadEnded(let url, let bytes, let error): self = .downloadEnded(url, bytes: bytes, error: error)
        case .cacheFailed(let failure): self = .cacheFailed(failure)
        default: return nil
        }
    }
}

extension ImageLoader.Configuration {
    /// Tells all receivers of each event.
    mutating func tell(_ receivers: (@Sendable (ToolEvent) -> Void)...) {
        onEvent = { event in
            guard let event = ToolEvent(event) else { return }
            for receive in receivers { receive(event) }
        }
    }
}
