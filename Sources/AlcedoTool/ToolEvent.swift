import Alcedo
import Foundation

/// The part of a loader's events that the commands use.
enum ToolEvent: Sendable {
    /// A request is sent.
    case downloadStarted(URL)
    /// The number of body bytes so far, and the total if the server announced it.
    case downloadProgress(URL, received: Int, expected: Int?)
    case downloadEnded(URL, bytes: Int, error: ImageLoaderError?)
    /// A load has ended with an error.
    case loadFailed(URL, ImageLoaderError)
    case cacheFailed(CacheFailure)
}

extension ToolEvent {
    init?(_ event: LoadEvent) {
        switch (event.kind, event.url) {
        case (.began(.download), let url?): self = .downloadStarted(url)
        case (.progress(let received, let expected), let url?):
            self = .downloadProgress(url, received: received, expected: expected)
        case (.ended(.download, let end), let url?):
            self = .downloadEnded(url, bytes: end.bytes ?? 0, error: end.error)
        case (.failed(_, let end), let url?):
            guard let error = end.error else { return nil }
            self = .loadFailed(url, error)
        case (.cacheFailed(let failure), _): self = .cacheFailed(failure)
        default: return nil
        }
    }
}

extension ImageLoader.Configuration {
    /// Passes each event to all receivers.
    mutating func tell(_ receivers: (@Sendable (ToolEvent) -> Void)...) {
        onEvent { event in
            guard let event = ToolEvent(event) else { return }
            for receive in receivers { receive(event) }
        }
    }
}
