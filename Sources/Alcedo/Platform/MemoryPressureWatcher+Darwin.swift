#if canImport(Darwin)
import Dispatch
import Foundation
import Synchronization

/// Reports when the system says that memory is short, and when the app enters the background.
///
/// The notifications are identified by their names, so no UI framework is needed. Where a notification doesn't exist,
/// it is never posted.
final class MemoryPressureWatcher: Sendable {
    /// True, because the system does the watching.
    static let isOnByDefault = true

    private struct Sources {
        let pressure: any DispatchSourceMemoryPressure
        let observers: [any NSObjectProtocol]
    }

    /// UIKit's notifications, with the pressure that each one stands for.
    private static let notifications: [(name: String, pressure: MemoryPressure)] = [
        ("UIApplicationDidEnterBackgroundNotification", .background),
        ("UIApplicationDidReceiveMemoryWarningNotification", .warning),
    ]

    private let sources: Mutex<Sources>

    /// - Parameter onPressure: Called on the watcher's own queue, or on the thread that posts the notification. It
    ///   should return soon and should not retain the watcher's owner.
    /// - Throws: Nothing on Apple platforms; on others, there may be nothing to watch.
    init(onPressure: @escaping @Sendable (MemoryPressure) -> Void) throws(MemoryPressureUnavailable) {
        let pressure = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical], queue: DispatchQueue(label: "alcedo.memory"))
        pressure.setEventHandler { [weak pressure] in
            guard let level = pressure?.data else { return }
            onPressure(level.contains(.critical) ? .critical : .warning)
        }
        pressure.activate()
        let observers = Self.notifications.map { name, pressure in
            NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
                onPressure(pressure)
            }
        }
        sources = Mutex(Sources(pressure: pressure, observers: observers))
    }

    deinit {
        sources.withLock { sources in
            sources.pressure.cancel()
            for observer in sources.observers { NotificationCenter.default.removeObserver(observer) }
        }
    }
}
#endif
