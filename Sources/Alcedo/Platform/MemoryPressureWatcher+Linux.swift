#if os(Linux)
import Foundation

/// Reports when memory is short: work of this process's control group waits for memory, or the group reaches its
/// limits.
///
/// If the group's own files can't be used, the whole machine is watched instead.
///
/// A watcher has one thread, which sleeps, and up to five descriptors; both are released with it. When its control
/// group is removed, it stops reporting.
final class MemoryPressureWatcher: Sendable {
    /// False, because a watcher needs a thread.
    static let isOnByDefault = false

    /// SOCK_STREAM, whose name an optimized build confuses with one of libcurl's. SOCK_CLOEXEC is O_CLOEXEC.
    private static let stream: Int32 = 1

    /// One end of a connection. The thread sleeps on the other end.
    private let stop: Int32

    /// Watches the files of this process.
    ///
    /// - Parameter onPressure: Called on the watcher's thread, at most once a second for each level. It should return
    ///   soon and should not retain the watcher's owner.
    /// - Throws: ``MemoryPressureUnavailable`` when there is nothing to watch. In that case, no thread is left behind.
    convenience init(onPressure: @escaping @Sendable (MemoryPressure) -> Void) throws(MemoryPressureUnavailable) {
        let files = MemoryPressureFiles(of: ControlGroups { SystemFile.text(of: $0) })
        try self.init(files, onPressure: onPressure)
    }

    /// - Parameters:
    ///   - now: The time since some fixed moment.
    ///   - wait: The call that the thread sleeps in.
    init(
        _ files: MemoryPressureFiles, now: @escaping @Sendable () -> Duration = TimeSource().now,
        wait: @escaping MemoryPressureSources.Wait = { poll(&$0, nfds_t($0.count), -1) },
        onPressure: @escaping @Sendable (MemoryPressure) -> Void
    ) throws(MemoryPressureUnavailable) {
        var sources = try MemoryPressureSources(files)
        var ends: [Int32] = [-1, -1]
        // Used as a pipe that child processes don't inherit: pipe2(2) isn't available here.
        let kind = Self.stream | O_CLOEXEC
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            let error = FileError(call: "socketpair", path: "", code: errno)
            sources.close()
            throw MemoryPressureUnavailable(failures: [error])
        }
        stop = ends[1]
        let thread = Thread { [sources, end = ends[0]] in
            var sources = sources
            sources.watch(until: end, now: now, wait: wait, onPressure: onPressure)
        }
        thread.name = "alcedo.memory"
        thread.stackSize = 512 << 10
        thread.start()
    }

    deinit { close(stop) }
}
#endif
