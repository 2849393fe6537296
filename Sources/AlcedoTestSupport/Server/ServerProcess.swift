import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server that runs as another program while this value lives.
///
/// It also ends when the test's process ends, for whatever reason: an intermediate shell waits for its input to be
/// closed.
final class ServerProcess: Sendable {
    /// A program is missing or failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let process: ChildProcess
    /// The shell's input. Closing it ends the server.
    private let leash: Pipe
    private let isStopped = Mutex(false)

    private static let script = """
        exec 3<&0
        "$@" 3<&- </dev/null & server=$!
        { read -r _ <&3; kill "$server"; } 2>/dev/null & watch=$!
        wait "$server"; status=$?
        kill "$watch" 2>/dev/null
        exit "$status"
        """

    /// Starts `command`, whose first element is a path. Its output goes to the file `log`.
    init(_ command: [String], log: String, in directory: String) throws {
        let output = try Self.openLog(log)
        leash = Pipe()
        // A server started by another test must not inherit this pipe and keep it open.
        _ = fcntl(leash.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        process = try ChildProcess(
            ["/bin/sh", "-c", Self.script, "sh"] + command, in: directory,
            input: leash.fileHandleForReading.fileDescriptor, output: output.fileDescriptor)
        try leash.fileHandleForReading.close()
        try output.close()
    }

    deinit { stop() }

    var isRunning: Bool { process.isRunning }

    /// Stops the server and waits until it has exited. May be called more than once.
    func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        leash.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }

    // MARK: Tools

    /// Runs `command` until it exits. If it fails, throws an error with its output.
    static func run(_ command: [String], log: String, in directory: String) throws {
        let output = try openLog(log)
        let process = try ChildProcess(
            command, in: directory, input: nil, output: output.fileDescriptor)
        try output.close()
        guard process.waitUntilExit() == 0 else {
            let text = try String(contentsOfFile: log, encoding: .utf8)
            throw Failure(description: "\(command.joined(separator: " ")) failed: \(text)")
        }
    }

    /// The path of a program in PATH or in the system's directories for servers; nil if it isn't installed.
    static func find(_ program: String) -> String? {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (directories + ["/usr/sbin", "/usr/local/sbin", "/usr/bin", "/opt/homebrew/bin"])
            .map { $0 + "/" + program }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func openLog(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(filePath: path))
        return try FileHandle(forWritingTo: URL(filePath: path))
    }
}
