import Synchronization

/// A body that waits to be written.
///
/// It is released once nobody wants it written any more, so a delayed writer holds no memory for writes it won't make.
final class PendingBody: Sendable {
    private let body: Mutex<Body?>

    init(_ body: Body) { self.body = Mutex(body) }

    /// The body, for the first caller.
    func take() -> Body? { body.withLock { $0.take() } }

    /// Returns the body, which is to be written after all.
    func putBack(_ returned: Body) { body.withLock { $0 = returned } }
}
