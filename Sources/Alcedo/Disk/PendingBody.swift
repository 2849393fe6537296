import Foundation
import Synchronization

/// A body that waits to be written. Once nobody wants it written any more it is given up here too: a writer that is
/// held up keeps no memory for writes it will not make.
final class PendingBody: Sendable {
    private let body: Mutex<Data?>

    init(_ body: Data) { self.body = Mutex(body) }

    /// The body, for the first who asks.
    func take() -> Data? {
        body.withLock { body in
            defer { body = nil }
            return body
        }
    }

    /// After all it is still to be written.
    func putBack(_ returned: Data) { body.withLock { $0 = returned } }
}
