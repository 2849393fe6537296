#if os(Linux)
import Foundation

/// Tells when memory is short: work of this process's control group, or of the whole machine where the group's own
/// files can't be used, waits for memory, or the group comes to its bounds.
///
/// A watcher has one thread, which sleeps, and up to five descriptors; they are given back when it is released. When
/// its control group is removed, it falls silent.
final class MemoryPressureWatcher: Sendable {
    /// It takes a thread.
    static let isOnByDefault = false

    /// The thread sleeps on the other end.
    private let stop: Int32

    /// Watches the files of this process.
    ///
    /// - Parameter onPressure: called on the watcher's thread, with one level no more than once in a second. It should
    ///   return soon, and should not hold whoever holds the watcher.
    /// - Throws: ``MemoryPressureUnavailable`` when there is nothing to watch; no thread is left behind then.
    convenience init(onPressure: @escaping @Sendable (MemoryPressure) -> Void) throws(MemoryPressureUnavailable) {
        let files = MemoryPressureFiles(of: ControlGroups { SystemFile.text(of: $0) })
        try self.init(files, onPressure: onPressure)
    }

    /// - Parameters:
    ///   - now: the time since some fixed moment.
    ///   - wait: what the thread sleeps in.
    init(
        _ files: MemoryPressureFiles, now: @escaping @Sendable () -> Duration = TimeSource().now,
        wait: @escaping MemoryPressureLoop.Wait = { poll(&$0, nfds_t($0.count), -1) },
        onPressure: @escaping @Sendable (MemoryPressure) -> Void
    ) throws(MemoryPressureUnavailable) {
        var sources = try MemoryPressureSources(files)
        var ends: [Int32] = [-1, -1]
        // A pipe of which no child process inherits an end: pipe2(2) is not to be had here.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            let error = FileError(call: "socketpair", path: "", code: errno)
            sources.close()
            throw MemoryPressureUnavailable(failures: [error])
        }
        stop = ends[1]
        let loop = MemoryPressureLoop(sources, stop: ends[0], now: now, wait: wait, onPressure: onPressure)
        let thread = Thread {
            var loop = loop
            loop.run()
        }
        thread.name = "alcedo.memory"
        thread.stackSize = 512 << 10
        thread.start()
    }

    deinit { close(stop) }
}
#endif
