#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
import Foundation
import Synchronization

/// Observes a notification until it is released.
final class NotificationObserver: Sendable {
    private let token: Mutex<any NSObjectProtocol>

    /// - Parameter handle: Called on the thread that posts the notification, before the post returns.
    init(_ name: Notification.Name, _ handle: @escaping @Sendable () -> Void) {
        token = Mutex(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in handle() })
    }

    deinit { token.withLock { NotificationCenter.default.removeObserver($0) } }
}
#endif
