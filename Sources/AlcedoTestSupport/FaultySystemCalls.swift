package import Alcedo
import Foundation
import Synchronization

/// The disk store's real system calls, each of which can be made to fail or to block.
///
/// A blocking call traps if it is made in a Task, because the cooperative pool must never block. Calls that don't block
/// run anywhere, but report that nothing is in memory, unless `keep(_:most:)` says otherwise.
package final class FaultySystemCalls: SystemCalls {
    /// Selects the calls of one kind: all of them, or those whose paths contain a text.
    private struct Rule {
        let call: SystemCall
        let part: String?
        var fault: Int32?
        var action: (@Sendable () -> Void)?
        var gate: ThreadGate?
        var isGatedAfter = false

        func concerns(_ call: SystemCall, _ path: String) -> Bool {
            self.call == call && part.map { path.contains($0) } ?? true
        }
    }

    private struct State {
        var rules: [Rule] = []
        var log: [(call: SystemCall, path: String, byteCount: Int)] = []
        /// The number of the single call that fails.
        var single: (number: Int, code: @Sendable (SystemCall, String) -> Int32?)?
        /// The number, among all calls, of the write that accepts half of its bytes.
        var shortWrite: Int?
        /// The number of the call that ends the process.
        var fatal: Int?
        /// A text that is part of the path of a write that ends the process, and the number of matching writes up to
        /// and including that one.
        var fatalWrite: (part: String, left: Int)?
        /// The number of open descriptors by path.
        var open: [String: Int] = [:]
        var freeBytes: Int?
        var warmth = Warmth.cold
        /// The maximum number of bytes that a read returns without waiting.
        var mostWarmBytes = Int.max

        /// Returns the number of the call.
        mutating func note(_ call: SystemCall, _ path: String, _ byteCount: Int) -> Int {
            log.append((call, path, byteCount))
            if call == .writev, let write = fatalWrite, path.contains(write.part) {
                fatalWrite?.left -= 1
                if write.left == 1 { fatal = log.count }
            }
            if call.closes {
                precondition(open[path, default: 0] > 0, "\(path) is closed, but isn't open.")
                open[path, default: 0] -= 1
            }
            return log.count
        }

        /// The number of bytes that a call may transfer.
        func byteCount(of call: SystemCall, _ number: Int, _ wanted: Int) -> Int {
            switch call {
            case .writev where number == shortWrite || number == fatal: (wanted + 1) / 2
            case .readWarm: min(wanted, mostWarmBytes)
            default: wanted
            }
        }
    }

    private let base = PosixSystemCalls()
    private let state = Mutex(State())

    package init() {}

    // MARK: Faults

    /// Makes calls fail with an `errno` from now on; nil makes them succeed again.
    ///
    /// - Parameter part: A text that their paths contain; nil matches all paths.
    package func fail(_ call: SystemCall, on part: String? = nil, with code: Int32?) {
        state.withLock { state in
            state.rules.removeAll { $0.call == call && $0.part == part && $0.gate == nil }
            if let code { state.rules.append(Rule(call: call, part: part, fault: code)) }
        }
    }

    /// Blocks calls at `gate` from now on.
    ///
    /// - Parameter isAfter: Whether a call blocks after its work, just before it returns, instead of before its work.
    package func hold(_ call: SystemCall, on part: String? = nil, at gate: ThreadGate, after isAfter: Bool = false) {
        state.withLock { state in
            state.rules.append(Rule(call: call, part: part, gate: gate, isGatedAfter: isAfter))
        }
    }

    /// Performs `action` before calls of a kind from now on, on their thread.
    package func precede(_ call: SystemCall, by action: @escaping @Sendable () -> Void) {
        state.withLock { $0.rules.append(Rule(call: call, part: nil, action: action)) }
    }

    /// The part of a file that the non-blocking calls find in memory.
    package enum Warmth: Sendable {
        /// Nothing.
        case cold
        /// Everything, on any file system.
        case warm
        /// The part that is really there. Some file systems don't support these calls at all.
        case real
    }

    /// Sets the part of a file that the non-blocking calls find in memory.
    ///
    /// - Parameter most: The maximum number of bytes that one of these calls reads.
    package func keep(_ warmth: Warmth, most: Int = .max) {
        state.withLock { ($0.warmth, $0.mostWarmBytes) = (warmth, most) }
    }

    /// Makes the call with this number fail, counted from 1 over all kinds and from now on.
    ///
    /// - Parameter code: The `errno` for a kind and a path; nil lets the call succeed.
    package func failOnce(at number: Int, with code: @escaping @Sendable (SystemCall, String) -> Int32?) {
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
        }
    }

    /// Makes the call with this number accept only half of its bytes, if it is a write.
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

    /// The number of calls of a kind so far.
    ///
    /// - Parameter part: A text that their paths contain; nil matches all paths.
    package func count(of call: SystemCall, on part: String? = nil) -> Int {
        state.withLock { state in
            state.log.count { $0.call == call && (part.map($0.path.contains) ?? true) }
        }
    }

    /// The most bytes requested in one read of a file whose path ends with `end`; 0 if it wasn't read.
    package func largestRead(of end: String) -> Int {
        calls.filter { $0.call == .pread && $0.path.hasSuffix(end) }.map(\.byteCount).max() ?? 0
    }

    /// All calls so far, in order. For a rename or a link, the path is the new one.
    package var calls: [(call: SystemCall, path: String, byteCount: Int)] { state.withLock { $0.log } }

    // MARK: Calls

    package func perform(
        _ call: SystemCall, on path: String, byteCount: Int, _ body: (_ byteCount: Int) -> Int
    ) -> Int {
        let mayBlock = WorkerThreads.isCurrent || withUnsafeCurrentTask { $0 == nil }
        precondition(call.isWarm || mayBlock, "\(call) of \(path) on a thread that must not block")
        if call == .openWarmDirectory || call == .openWarm, warmth == .cold {
            errno = EAGAIN
            return -1
        }
        let (number, rules, single) = state.withLock { state in
            let number = state.note(call, path, byteCount)
            return (number, state.rules.filter { $0.concerns(call, path) }, state.single)
        }
        if call != .writev { killProcess(ifAt: number) }
        for rule in rules where !rule.isGatedAfter {
            rule.action?()
            rule.gate?.enter()
        }
        let (freeBytes, most) = state.withLock { ($0.freeBytes, $0.byteCount(of: call, number, byteCount)) }
        let fault = single?.number == number ? single?.code(call, path) : rules.compactMap(\.fault).first
        // A file is closed even if the call is made to fail.
        let isMade = fault == nil || call.closes
        let made = isMade ? (call == .statvfs ? freeBytes : nil) ?? body(most) : -1
        let (result, code) = fault.map { (-1, $0) } ?? (made, errno)
        if call.opens, result >= 0 { state.withLock { $0.open[path, default: 0] += 1 } }
        if call == .writev { killProcess(ifAt: number) }
        for rule in rules where rule.isGatedAfter { rule.gate?.enter() }
        errno = code
        return result
    }

    private func killProcess(ifAt number: Int) {
        guard state.withLock({ $0.fatal }) == number else { return }
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    private var warmth: Warmth { state.withLock { $0.warmth } }

    package func openWarmDirectory(_ path: String) -> Int32 {
        warmth == .real ? base.openWarmDirectory(path) : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }

    package func openWarm(_ directory: Int32, _ path: String, isOwned: Bool) -> Int32 {
        warmth == .real
            ? base.openWarm(directory, path, isOwned: isOwned)
            : openat(directory, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }

    package func readWarm(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
        warmth == .real ? base.readWarm(file, bytes, count) : pread(file, bytes, count, 0)
    }
}

extension SystemCall {
    /// Whether the call never blocks, so that any thread may make it.
    package var isWarm: Bool { [.openWarmDirectory, .openWarm, .fstatWarm, .readWarm, .closeWarm].contains(self) }

    fileprivate var opens: Bool { [.open, .opendir, .openWarmDirectory, .openWarm].contains(self) }

    fileprivate var closes: Bool { [.close, .closedir, .closeWarm].contains(self) }
}
