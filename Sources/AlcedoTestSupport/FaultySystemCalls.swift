package import Alcedo
package import Foundation
import Synchronization

/// The disk store's real system calls, each of which can be made to fail or to block.
///
/// It refuses to run on any thread except those of ``WorkerThreads``, because the cooperative pool must never block.
/// The calls that don't block run anywhere, but report that nothing is in memory, unless told otherwise.
package final class FaultySystemCalls: SystemCalls {
    package enum Call: String, Sendable, Hashable, CaseIterable {
        case open, close, fstat, read, pread, writev, ftruncate, rename, link, unlink, mkdir, rmdir
        case opendir, readdir, closedir, fstatat, lstat, flock, statvfs, synchronize
        case openWarmDirectory, openWarm, fstatWarm, readWarm, closeWarm

        /// Whether it never waits, so that any thread may make it.
        package var isWarm: Bool { Self.warm.contains(self) }

        private static let warm: Set = [openWarmDirectory, openWarm, fstatWarm, readWarm, closeWarm]
    }

    /// Selects calls: all of a kind, or those on paths that contain a text.
    private struct Rule {
        let call: Call
        let part: String?
        var fault: Int32?
        var action: (@Sendable () -> Void)?
        var gate: ThreadGate?
        var isGatedAfter = false

        func concerns(_ call: Call, _ path: String) -> Bool {
            self.call == call && part.map { path.contains($0) } ?? true
        }
    }

    private struct State {
        var rules: [Rule] = []
        var log: [(call: Call, path: String)] = []
        /// The number of the single call that fails.
        var single: (number: Int, code: @Sendable (Call, String) -> Int32?)?
        /// The number, among all calls, of the write that accepts half of its bytes.
        var shortWrite: Int?
        /// The number of the call that ends the process.
        var fatal: Int?
        /// A write that ends the process, by its path, and how many matching writes are left, including that one.
        var fatalWrite: (part: String, left: Int)?
        var paths: [Int32: String] = [:]
        var directories: [DirectoryStreamID: String] = [:]
        var freeBytes: Int?
        var warmth = Warmth.cold
        /// The maximum number of bytes that a read returns without waiting.
        var mostWarmBytes = Int.max
        /// How many times its true size the next file is reported to take; 0 for the truth.
        var growth: Int64 = 0
        /// The most bytes requested by one call, by path.
        var largestReads: [String: Int] = [:]

        mutating func note(_ call: Call, _ path: String) {
            log.append((call, path))
            guard call == .writev, let write = fatalWrite, path.contains(write.part) else { return }
            fatalWrite?.left -= 1
            if write.left == 1 { fatal = log.count }
        }
    }

    private struct DirectoryStreamID: Hashable {
        let address: Int

        init(_ stream: DirectoryStream) { address = Int(bitPattern: UnsafeRawPointer(stream)) }
    }

    private let base = PosixSystemCalls()
    private let state = Mutex(State())

    package init() {}

    // MARK: Faults

    /// Makes calls fail with an `errno` from now on; nil makes them succeed again.
    ///
    /// - Parameter part: A text that their paths contain; nil matches all paths.
    package func fail(_ call: Call, on part: String? = nil, with code: Int32?) {
        state.withLock { state in
            state.rules.removeAll { $0.call == call && $0.part == part && $0.gate == nil }
            if let code { state.rules.append(Rule(call: call, part: part, fault: code)) }
        }
    }

    /// Blocks calls at `gate` from now on.
    ///
    /// - Parameter isAfter: Whether a call blocks after its work is done, before it returns, instead of before its
    ///   work.
    package func hold(_ call: Call, on part: String? = nil, at gate: ThreadGate, after isAfter: Bool = false) {
        state.withLock { state in
            state.rules.append(Rule(call: call, part: part, gate: gate, isGatedAfter: isAfter))
        }
    }

    /// Performs `action` before calls of a kind from now on, on their thread.
    package func precede(_ call: Call, by action: @escaping @Sendable () -> Void) {
        state.withLock { $0.rules.append(Rule(call: call, part: nil, action: action)) }
    }

    /// The part of a file that calls which don't wait find in memory.
    package enum Warmth: Sendable {
        /// Nothing.
        case cold
        /// Everything, on any file system.
        case warm
        /// The part that is there; on some file systems these calls don't work at all.
        case real
    }

    /// - Parameter most: The maximum number of bytes that one of these calls reads.
    package func keep(_ warmth: Warmth, most: Int = .max) {
        state.withLock { ($0.warmth, $0.mostWarmBytes) = (warmth, most) }
    }

    /// Makes the call with this number fail, counted from 1 over all kinds and from now on.
    ///
    /// - Parameter code: The `errno` for a kind and a path; nil lets the call succeed.
    package func failOnce(at number: Int, with code: @escaping @Sendable (Call, String) -> Int32?) {
        state.withLock { $0.single = ($0.log.count + number, code) }
    }

    package func failOnce(at number: Int, with code: Int32) { failOnce(at: number) { _, _ in code } }

    /// Makes all calls succeed from now on.
    package func heal() {
        state.withLock { state in
            state.rules.removeAll()
            state.single = nil
            state.shortWrite = nil
            state.freeBytes = nil
            state.growth = 0
        }
    }

    /// Makes the call with this number accept half of its bytes, if it is a write.
    package func writeHalf(at number: Int) {
        state.withLock { $0.shortWrite = $0.log.count + number }
    }

    /// Ends the process in the call with this number, as `kill -9` does: before the call, or in the middle of it if it
    /// is a write.
    package func killProcess(at number: Int) {
        state.withLock { $0.fatal = $0.log.count + number }
    }

    /// Ends the process in the middle of a write. `number` counts from now on, among the writes whose paths contain
    /// `part`.
    package func killProcess(atWrite number: Int, on part: String) {
        state.withLock { $0.fatalWrite = (part, number) }
    }

    /// Reports `freeBytes` as free from now on; nil reports the true value.
    package func pretend(freeBytes: Int?) { state.withLock { $0.freeBytes = freeBytes } }

    /// Reports from now on that each temporary file takes more of the volume than the one before.
    package func pretendGrowth() { state.withLock { $0.growth = 2 } }

    /// The number of calls of a kind so far.
    ///
    /// - Parameter part: A text that their paths contain; nil matches all paths.
    package func count(of call: Call, on part: String? = nil) -> Int {
        state.withLock { state in
            state.log.count { $0.call == call && (part.map($0.path.contains) ?? true) }
        }
    }

    /// The most bytes requested at once from a file whose path ends with `end`; 0 if it wasn't read.
    package func largestRead(of end: String) -> Int {
        state.withLock { $0.largestReads.filter { $0.key.hasSuffix(end) }.values.max() ?? 0 }
    }

    /// All calls so far, in order. For a rename or a link, the path is the new one.
    package var calls: [(call: Call, path: String)] { state.withLock { $0.log } }

    // MARK: Calls

    private func perform<Result>(
        _ call: Call, _ path: String, failed: Result, _ body: (_ number: Int) -> Result
    ) -> Result {
        precondition(call.isWarm || WorkerThreads.isCurrent, "\(call) of \(path) on a thread that must not block")
        let (number, rules, single) = state.withLock { state in
            state.note(call, path)
            return (state.log.count, state.rules.filter { $0.concerns(call, path) }, state.single)
        }
        if call != .writev { killProcess(ifAt: number) }
        for rule in rules where !rule.isGatedAfter {
            rule.action?()
            rule.gate?.enter()
        }
        defer {
            let code = errno
            for rule in rules where rule.isGatedAfter { rule.gate?.enter() }
            errno = code
        }
        let fault = single?.number == number ? single?.code(call, path) : rules.compactMap(\.fault).first
        if let fault {
            errno = fault
            return failed
        }
        return body(number)
    }

    private func killProcess(ifAt number: Int) {
        guard state.withLock({ $0.fatal }) == number else { return }
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    private func path(of file: Int32) -> String { state.withLock { $0.paths[file] ?? "" } }

    private func path(of directory: DirectoryStream) -> String {
        state.withLock { $0.directories[DirectoryStreamID(directory)] ?? "" }
    }

    package func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
        let text = String(cString: path)
        return perform(.open, text, failed: -1) { _ in
            let file = base.open(path, flags, mode)
            let code = errno
            if file >= 0 { state.withLock { $0.paths[file] = text } }
            errno = code
            return file
        }
    }

    package func close(_ file: Int32) -> Int32 {
        // By the second call, the descriptor may be another's.
        guard let path = state.withLock({ $0.paths.removeValue(forKey: file) }) else {
            preconditionFailure("Descriptor \(file) is closed, but isn't open.")
        }
        // The file is closed even if the call is to fail.
        return perform(.close, path, failed: -1) { _ in 0 } + min(0, base.close(file))
    }

    package func fstat(_ file: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32 {
        let path = path(of: file)
        return perform(.fstat, path, failed: -1) { _ in
            let result = base.fstat(file, status)
            guard path.contains("/temporary/") else { return result }
            state.withLock { state in
                guard state.growth > 0 else { return }
                status.pointee.st_blocks *= blkcnt_t(state.growth)
                state.growth *= 2
            }
            return result
        }
    }

    package func read(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        perform(.read, path(of: file), failed: -1) { _ in base.read(file, bytes, count) }
    }

    package func pread(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int {
        let path = path(of: file)
        state.withLock { $0.largestReads[path] = max(count, $0.largestReads[path] ?? 0) }
        return perform(.pread, path, failed: -1) { _ in base.pread(file, bytes, count, offset) }
    }

    package func writev(_ file: Int32, _ parts: UnsafePointer<iovec>, _ count: Int32) -> Int {
        perform(.writev, path(of: file), failed: -1) { number in
            let (shortWrite, fatal) = state.withLock { ($0.shortWrite, $0.fatal) }
            guard number == shortWrite || number == fatal else { return base.writev(file, parts, count) }
            var half = parts.pointee
            half.iov_len = (half.iov_len + 1) / 2
            let written = base.writev(file, &half, 1)
            killProcess(ifAt: number)
            return written
        }
    }

    package func ftruncate(_ file: Int32, _ length: off_t) -> Int32 {
        perform(.ftruncate, path(of: file), failed: -1) { _ in base.ftruncate(file, length) }
    }

    package func rename(_ path: UnsafePointer<CChar>, _ newPath: UnsafePointer<CChar>) -> Int32 {
        perform(.rename, String(cString: newPath), failed: -1) { _ in base.rename(path, newPath) }
    }

    package func link(_ path: UnsafePointer<CChar>, _ newPath: UnsafePointer<CChar>) -> Int32 {
        perform(.link, String(cString: newPath), failed: -1) { _ in base.link(path, newPath) }
    }

    package func unlink(_ path: UnsafePointer<CChar>) -> Int32 {
        perform(.unlink, String(cString: path), failed: -1) { _ in base.unlink(path) }
    }

    package func mkdir(_ path: UnsafePointer<CChar>, _ mode: mode_t) -> Int32 {
        perform(.mkdir, String(cString: path), failed: -1) { _ in base.mkdir(path, mode) }
    }

    package func rmdir(_ path: UnsafePointer<CChar>) -> Int32 {
        perform(.rmdir, String(cString: path), failed: -1) { _ in base.rmdir(path) }
    }

    package func opendir(_ path: UnsafePointer<CChar>) -> DirectoryStream? {
        let text = String(cString: path)
        return perform(.opendir, text, failed: nil) { _ in
            guard let directory = base.opendir(path) else { return nil }
            state.withLock { $0.directories[DirectoryStreamID(directory)] = text }
            return directory
        }
    }

    package func readdir(_ directory: DirectoryStream) -> UnsafeMutablePointer<dirent>? {
        perform(.readdir, path(of: directory), failed: nil) { _ in base.readdir(directory) }
    }

    package func closedir(_ directory: DirectoryStream) -> Int32 {
        let path = path(of: directory)
        state.withLock { $0.directories[DirectoryStreamID(directory)] = nil }
        return perform(.closedir, path, failed: -1) { _ in 0 } + min(0, base.closedir(directory))
    }

    package func fstatat(
        _ directory: DirectoryStream, _ name: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>
    ) -> Int32 {
        perform(.fstatat, path(of: directory), failed: -1) { _ in base.fstatat(directory, name, status) }
    }

    package func lstat(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>) -> Int32 {
        perform(.lstat, String(cString: path), failed: -1) { _ in base.lstat(path, status) }
    }

    package func flock(_ file: Int32, _ operation: Int32) -> Int32 {
        perform(.flock, path(of: file), failed: -1) { _ in base.flock(file, operation) }
    }

    package func statvfs(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<statvfs>) -> Int32 {
        perform(.statvfs, String(cString: path), failed: -1) { _ in
            let result = base.statvfs(path, status)
            if let free = state.withLock({ $0.freeBytes }) {
                // Darwin has 32 bits for the number of blocks.
                let blockBytes = free > UInt32.max ? 4096 : 1
                status.pointee.f_bavail = .init(clamping: free / blockBytes)
                status.pointee.f_frsize = .init(blockBytes)
            }
            return result
        }
    }

    package func synchronize(_ file: Int32) -> Int32 {
        perform(.synchronize, path(of: file), failed: -1) { _ in base.synchronize(file) }
    }

    // MARK: Calls that don't wait

    package func openWarmDirectory(_ path: UnsafePointer<CChar>) -> Int32 {
        openWarm(.openWarmDirectory, String(cString: path)) { isReal in
            isReal ? base.openWarmDirectory(path) : base.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        }
    }

    package func openWarm(_ directory: Int32, _ path: UnsafePointer<CChar>, isOwned: Bool) -> Int32 {
        let text = self.path(of: directory) + "/" + String(cString: path)
        return openWarm(.openWarm, text) { isReal in
            isReal
                ? base.openWarm(directory, path, isOwned: isOwned)
                : base.open(text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        }
    }

    private func openWarm(_ call: Call, _ path: String, _ open: (_ isReal: Bool) -> Int32) -> Int32 {
        let warmth = state.withLock { $0.warmth }
        guard warmth != .cold else {
            errno = EAGAIN
            return -1
        }
        return perform(call, path, failed: -1) { _ in
            let file = open(warmth == .real)
            let code = errno
            if file >= 0 { state.withLock { $0.paths[file] = path } }
            errno = code
            return file
        }
    }

    package func fstatWarm(_ file: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32 {
        perform(.fstatWarm, path(of: file), failed: -1) { _ in base.fstatWarm(file, status) }
    }

    package func readWarm(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        perform(.readWarm, path(of: file), failed: -1) { _ in
            let (warmth, most) = state.withLock { ($0.warmth, $0.mostWarmBytes) }
            let count = min(count, most)
            return warmth == .real ? base.readWarm(file, bytes, count) : base.pread(file, bytes, count, 0)
        }
    }

    package func closeWarm(_ file: Int32) -> Int32 {
        let path = path(of: file)
        state.withLock { $0.paths[file] = nil }
        return perform(.closeWarm, path, failed: -1) { _ in 0 } + min(0, base.closeWarm(file))
    }
}
