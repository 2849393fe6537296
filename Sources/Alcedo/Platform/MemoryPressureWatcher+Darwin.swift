#if canImport(Darwin)
import Dispatch
import Foundation
import Synchronization

/// Tells when memory is short, as the system says, and when the app goes into the background.
///
/// The notification is known by its name, so that no UI framework is needed; where there is none, it never comes.
final class MemoryPressureWatcher: Sendable {
    /// The system itself tells.
    static let isOnByDefault = true

    private struct Sources {
        let pressure: any DispatchSourceMemoryPressure
        let background: any NSObjectProtocol
    }

    private let sources: Mutex<Sources>

    /// - Parameter onPressure: called on a queue of the watcher's own, or on the thread that posts the notification. It
    ///   should return soon, and should not hold whoever holds the watcher.
    /// - Throws: nothing here; elsewhere there may be nothing to watch.
    init(onPressure: @escaping @Sendable (MemoryPressure) -> Void) throws(MemoryPressureUnavailable) {
        let pressure = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical], queue: DispatchQueue(label: "alcedo.memory"))
        pressure.setEventHandler { [weak pressure] in
            guard let level = pressure?.data else { return }
            onPressure(level.contains(.critical) ? .critical : .warning)
        }
        pressure.activate()
        let background = NotificationCenter.default.addObserver(
            forName: Notification.Name("UIApplicationDidEnterBackgroundNotification"), object: nil, queue: nil
        ) { _ in onPressure(.background) }
        sources = Mutex(Sources(pressure: pressure, background: background))
    }

    deinit {
        sources.withLock { sources in
            sources.pressure.cancel()
            NotificationCenter.default.removeObserver(sources.background)
        }
    }
}
#endif
