#if canImport(UIKit) && !os(watchOS)
public import Alcedo
import Foundation
import Synchronization
import UIKit

/// Connects a loader to the app's life cycle: flushes its disk cache when the app moves to the background, and trims
/// its memory cache on a memory warning.
///
/// Create one when the app starts, and keep it: it observes the app until it is released. It isn't available in app
/// extensions, because they have no `UIApplication`.
@available(iOSApplicationExtension, unavailable)
@available(macCatalystApplicationExtension, unavailable)
@available(tvOSApplicationExtension, unavailable)
@available(visionOSApplicationExtension, unavailable)
public final class AppLifecycle: Sendable {
    private let observers: [NotificationObserver]

    /// Starts observing the app.
    ///
    /// - Parameters:
    ///   - loader: The loader. Its disk cache is flushed within a background task, so that the system lets it finish.
    ///   - memoryFraction: The share of the memory cache that is kept on a memory warning, from 0 to 1. Default: nil,
    ///     which leaves trimming to the cache: it watches the system's memory pressure unless its settings say
    ///     otherwise.
    @MainActor public init(_ loader: ImageLoader = .shared, memoryFraction: Double? = nil) {
        var observers = [
            NotificationObserver(UIApplication.didEnterBackgroundNotification) {
                // Not accessed earlier, because SwiftUI creates the app's values before its application. The
                // notification is posted on the main thread.
                let task = MainActor.assumeIsolated { BackgroundTask(UIApplication.shared) }
                task.run("alcedo.flush") { await loader.flush() }
            }
        ]
        if let memoryFraction {
            observers.append(
                NotificationObserver(UIApplication.didReceiveMemoryWarningNotification) {
                    Task { await loader.memoryCache.trim(toFraction: memoryFraction) }
                })
        }
        self.observers = observers
    }
}

/// Work that the system lets finish after the app has moved to the background, if it doesn't take too long.
private final class BackgroundTask: Sendable {
    private let application: UIApplication
    private let id = Mutex(UIBackgroundTaskIdentifier.invalid)

    init(_ application: UIApplication) { self.application = application }

    /// Begins the background task before this function returns, because the system may suspend the app right after
    /// that.
    func run(_ name: String, _ work: @escaping @Sendable () async -> Void) {
        // The system terminates an app that doesn't end its task in time.
        let id = application.beginBackgroundTask(withName: name) { self.end() }
        self.id.withLock { $0 = id }
        Task {
            await work()
            end()
        }
    }

    private func end() {
        let id = id.withLock { id in
            defer { id = .invalid }
            return id
        }
        if id != .invalid { application.endBackgroundTask(id) }
    }
}
#elseif canImport(AppKit)
public import Alcedo
import AppKit
import Foundation

/// Connects a loader to the app's life cycle: flushes its disk cache when the app is no longer active.
///
/// Create one when the app starts, and keep it: it observes the app until it is released.
public final class AppLifecycle: Sendable {
    private let observer: NotificationObserver

    /// Starts observing the app.
    ///
    /// - Parameter loader: The loader. Its disk cache is flushed. Its memory cache watches the system's memory pressure
    ///   itself.
    @MainActor public init(_ loader: ImageLoader = .shared) {
        observer = NotificationObserver(NSApplication.didResignActiveNotification) { Task { await loader.flush() } }
    }
}
#endif
