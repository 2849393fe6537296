#if canImport(UIKit) && !os(watchOS)
public import Alcedo
import Foundation
import Synchronization
import UIKit

/// Connects a loader to the app's life cycle: finishes downloads and flushes the disk cache when the app moves to the
/// background, and trims the memory cache on a memory warning.
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
    ///     otherwise, and keeps half on a warning. A warning that both notice counts once, with the smaller share.
    ///   - finishesDownloads: Whether the background task lasts until nothing is being loaded, or the system ends it
    ///     after about half a minute. Downloads that are running then break when the system suspends the app, and are
    ///     resumed like other broken ones. Default: true.
    @MainActor public init(
        _ loader: ImageLoader = .shared, memoryFraction: Double? = nil, finishesDownloads: Bool = true
    ) {
        let task = BackgroundTask()
        var observers = [
            NotificationObserver(UIApplication.didEnterBackgroundNotification) {
                // The application isn't accessed earlier, because SwiftUI creates the app's values before it. The
                // notification is posted on the main thread.
                let application: UIApplication = MainActor.assumeIsolated { UIApplication.shared }
                task.run("alcedo.background", in: application) {
                    await loader.flush()
                    if finishesDownloads { await loader.finishLoads() }
                }
            },
            NotificationObserver(UIApplication.willEnterForegroundNotification) { task.cancel() },
        ]
        if let memoryFraction {
            observers.append(
                NotificationObserver(UIApplication.didReceiveMemoryWarningNotification) {
                    Task { await loader.memoryCache.trimUnderPressure(toFraction: memoryFraction) }
                })
        }
        self.observers = observers
    }
}

extension ImageLoader {
    /// Waits until nothing is being loaded, and what was loaded is on disk. Ends early if the Task is cancelled.
    fileprivate func finishLoads() async {
        for await activity in activityUpdates() where activity.isIdle { break }
        await flush()
    }
}

/// Work that the system lets finish after the app has moved to the background, if it doesn't take too long.
private final class BackgroundTask: Sendable {
    private struct State {
        var id = UIBackgroundTaskIdentifier.invalid
        var application: UIApplication?
        var work: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Begins the background task before this function returns, because the system may suspend the app right after
    /// that.
    func run(_ name: String, in application: UIApplication, _ work: @escaping @Sendable () async -> Void) {
        cancel()
        // The system terminates an app that doesn't end its task in time.
        let id = application.beginBackgroundTask(withName: name) { self.cancel() }
        state.withLock { $0 = State(id: id, application: application) }
        let task = Task {
            await work()
            end(id)
        }
        state.withLock { if $0.id == id { $0.work = task } }
    }

    /// Cancels the work, and tells the system that it has ended.
    func cancel() {
        let (id, work) = state.withLock { ($0.id, $0.work) }
        work?.cancel()
        end(id)
    }

    private func end(_ id: UIBackgroundTaskIdentifier) {
        let application = state.withLock { state -> UIApplication? in
            guard state.id == id else { return nil }
            defer { state = State() }
            return state.application
        }
        if id != .invalid { application?.endBackgroundTask(id) }
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
