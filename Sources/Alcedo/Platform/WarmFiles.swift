import Foundation
import Synchronization

/// Reads files below a directory if the system holds them in memory. This doesn't wait for the device, so it may be
/// done on any thread; all other files are left to a thread that may wait.
///
/// The system calls for this return an error instead of waiting. If they take long anyway, they are avoided for a
/// while; if the system doesn't support them, they aren't made again.
final class WarmFiles: Sendable {
    /// The open directory. It is closed when the last read of a file in it has ended.
    private final class Root: Sendable {
        let file: Int32
        let isOwned: Bool
        private let close: @Sendable () -> Void

        init(_ file: Int32, isOwned: Bool, close: @escaping @Sendable () -> Void) {
            (self.file, self.isOwned, self.close) = (file, isOwned, close)
        }

        deinit { close() }
    }

    private struct State {
        var root: Root?
        var isUnsupported = false
        /// No call is made before this time.
        var resumption = Duration.zero
    }

    private let path: String
    private let calls: any SystemCalls
    private let time: TimeSource
    private let threads: WorkerThreads
    private let state = Mutex(State())

    /// The time after which calls count as slow. They are then avoided for ten times as long as they took.
    private static let slowness = Duration.milliseconds(1)
    private static let unsupported: Set = [EPERM, EINVAL, E2BIG, EOPNOTSUPP, ENOSYS]

    /// - Parameter threads: The threads on which files are closed if closing may wait.
    init(_ path: String, _ calls: any SystemCalls, _ time: TimeSource, closingOn threads: WorkerThreads) {
        (self.path, self.calls, self.time, self.threads) = (path, calls, time, threads)
    }

    /// Makes the next read open the directory again, because another one may have its name by now.
    func reopen() { state.withLock { $0.root = nil } }

    private func open() -> Root? {
        let file = calls.perform(.openWarmDirectory, on: path) { calls.openWarmDirectory(path) }
        guard file >= 0 else { return refuse(errno) }
        var status = stat()
        let isKnown = calls.perform(.fstatWarm, on: path) { fstat(file, &status) } == 0
        let root = Root(file, isOwned: isKnown && status.st_uid == geteuid()) { [path, calls, threads] in
            var status = stat()
            let isKnown = calls.perform(.fstatWarm, on: path) { fstat(file, &status) } == 0
            Self.close(file, path, isNamed: isKnown && status.st_nlink > 0, calls, threads)
        }
        state.withLock { $0.root = root }
        return root
    }

    /// The bytes of a regular file and its modification time in seconds since 1970; nil if they can't be read without
    /// waiting, or the file is longer than `byteLimit`.
    ///
    /// - Parameter name: The file's name, relative to the directory.
    func read(_ name: String, byteLimit: Int) -> (bytes: Data, modified: Int)? {
        let start = time.now()
        let (known, isAvoided) = state.withLock { ($0.root, $0.isUnsupported || $0.resumption > start) }
        guard !isAvoided, let root = known ?? open() else { return nil }
        let found = read(name, in: root, byteLimit)
        let took = time.now() - start
        if took > Self.slowness { state.withLock { $0.resumption = start + took * 10 } }
        return found
    }

    private func read(_ name: String, in root: Root, _ byteLimit: Int) -> (bytes: Data, modified: Int)? {
        func open(isOwned: Bool) -> Int32 {
            calls.perform(.openWarm, on: name) { calls.openWarm(root.file, name, isOwned: isOwned) }
        }
        var file = open(isOwned: root.isOwned)
        // If the file belongs to another user, only that user may leave its access time unchanged.
        if file < 0, errno == EPERM, root.isOwned { file = open(isOwned: false) }
        guard file >= 0 else { return refuse(errno) }
        var status = stat()
        let isKnown = calls.perform(.fstatWarm, on: name) { fstat(file, &status) } == 0
        defer { Self.close(file, name, isNamed: isKnown && status.st_nlink > 0, calls, threads) }
        let length = Int(status.st_size)
        guard isKnown, status.st_mode & S_IFMT == S_IFREG, length > 0, length <= byteLimit,
            let bytes = malloc(length)
        else { return nil }
        let count = calls.perform(.readWarm, on: name, byteCount: length) { calls.readWarm(file, bytes, $0) }
        if count == length {
            return (Data(bytesNoCopy: bytes, count: length, deallocator: .free), status.modificationSeconds)
        }
        let code = errno
        free(bytes)
        return count < 0 ? refuse(code) : nil
    }

    private func refuse<Result>(_ code: Int32) -> Result? {
        if Self.unsupported.contains(code) {
            state.withLock { state in
                state.isUnsupported = true
                state.root = nil
            }
        }
        return nil
    }

    private static func close(
        _ file: Int32, _ path: String, isNamed: Bool, _ calls: any SystemCalls, _ threads: WorkerThreads
    ) {
        // Closing a file that was removed deletes it, which takes long.
        if isNamed {
            calls.perform(.closeWarm, on: path) { Foundation.close(file) }
        } else {
            threads.submit { calls.perform(.close, on: path) { Foundation.close(file) } }
        }
    }
}
