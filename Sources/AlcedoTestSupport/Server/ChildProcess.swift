import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A program that runs alongside the tests.
///
/// Foundation's `Process` does the same, but on Linux its `run()` sometimes reads beyond a buffer and crashes (seen
/// with Swift 6.3; swift-corelibs-foundation 5472), and its `waitUntilExit()` is reported to miss the end (swift
/// 73532).
final class ChildProcess: Sendable {
    /// The program couldn't be started.
    struct Failure: Error, CustomStringConvertible {
        let program: String
        let code: Int32

        var description: String { "\(program) did not start: \(String(cString: strerror(code)))" }
    }

    /// The exit status, or the negative number of the signal that ended the program; nil while it runs.
    private let status = Mutex<Int32?>(nil)
    private let ended = NSCondition()
    private let id: pid_t

    /// Starts `command`, whose first element is a path, in `directory`.
    ///
    /// The program inherits no open files except `input` and `output`, which the caller still owns. Without `input`,
    /// its standard input is empty.
    init(_ command: [String], in directory: String, input: Int32?, output: Int32) throws {
        id = try Self.spawn(command, in: directory, input: input, output: output)
        // Each program has a thread that waits for its exit. A zombie that isn't reaped would hide the exits of other
        // children from callers that wait for any child.
        let thread = Thread { [self] in
            var info = siginfo_t()
            // The process id isn't reused until the process is reaped, which happens under the lock that `kill()`
            // takes.
            while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
            ended.lock()
            status.withLock { $0 = reap() }
            ended.broadcast()
            ended.unlock()
        }
        thread.start()
    }

    private func reap() -> Int32 {
        var word: Int32 = 0
        while waitpid(id, &word, 0) == -1 && errno == EINTR {}
        let signal = word & 0x7f
        return signal == 0 ? (word >> 8) & 0xff : -signal
    }

    var isRunning: Bool { status.withLock { $0 == nil } }

    /// Kills the program immediately, as a crash would. Does nothing if it has exited.
    func kill() {
        status.withLock { status in
            guard status == nil else { return }
            _ = systemKill(id, SIGKILL)
        }
    }

    /// Blocks the calling thread until the program has exited, and returns its exit status.
    @discardableResult func waitUntilExit() -> Int32 {
        ended.lock()
        defer { ended.unlock() }
        while true {
            if let end = status.withLock({ $0 }) { return end }
            ended.wait()
        }
    }
}

#if !os(tvOS) && !os(watchOS)
extension ChildProcess {
    private static func spawn(
        _ command: [String], in directory: String, input: Int32?, output: Int32
    ) throws -> pid_t {
        var actions = noFileActions
        var attributes = noSpawnAttributes
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        // A child inherits the signal mask of its parent's thread, and pool threads block all signals: the child could
        // neither be terminated by a signal nor notice when its own children exit.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // It must not inherit ignored signals either: tests ignore SIGPIPE, and a shell's background jobs SIGINT.
        var reset = sigset_t()
        sigemptyset(&reset)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&reset, signal) }
        posix_spawnattr_setsigdefault(&attributes, &reset)
        let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, flags | closesFilesFlag)
        for file in try openFiles() where file > STDERR_FILENO { posix_spawn_file_actions_addclose(&actions, file) }
        // Swift doesn't import the GNU call that changes a child's working directory.
        let shell = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, directory]
        var arguments: [UnsafeMutablePointer<CChar>?] = (shell + command).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, shell[0], &actions, &attributes, &arguments, environ)
        guard code == 0 else { throw Failure(program: shell[0], code: code) }
        return child
    }
}
#endif

/// The system's function, which is hidden by the method of the same name.
private func systemKill(_ process: pid_t, _ signal: Int32) -> Int32 { kill(process, signal) }

#if os(tvOS) || os(watchOS)
extension ChildProcess {
    /// Throws, because these systems don't let a program start another one.
    private static func spawn(
        _ command: [String], in directory: String, input: Int32?, output: Int32
    ) throws -> pid_t {
        throw Failure(program: command[0], code: ENOTSUP)
    }
}
#elseif canImport(Darwin)
private var noFileActions: posix_spawn_file_actions_t? { nil }
private var noSpawnAttributes: posix_spawnattr_t? { nil }
private let closesFilesFlag = Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)

private func openFiles() throws -> [Int32] { [] }
#else
private var noFileActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
private var noSpawnAttributes: posix_spawnattr_t { posix_spawnattr_t() }
private let closesFilesFlag: Int16 = 0

private func openFiles() throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
}
#endif
