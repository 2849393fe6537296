#if os(Linux)
import Foundation
import Glibc
import Testing

@testable import AlcedoTestSupport

/// The real program, with its output on a pseudo-terminal or in a pipe.
///
/// It has its own user's directory for caches, and is killed when the value is deallocated.
final class ToolProcess: Sendable {
    private struct Output {
        var screen: TestScreen
        var hasEnded = false
    }

    private let process: ChildProcess
    private let output: Handshake<Output>
    /// The other end of its terminal or pipe.
    private let end: FileHandle
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - screen: What the program writes to; nil for a pipe.
    ///   - directory: Where it runs, and has its caches.
    init(_ arguments: [String], on screen: TestScreen?, in directory: TemporaryDirectory) throws {
        self.directory = directory
        let (end, tool) = try screen == nil ? Self.pipe() : Self.terminal()
        self.end = end
        output = Handshake(Output(screen: screen ?? .pipe))
        if let screen { try Self.setSize(of: end, columns: screen.columns) }
        let tests = try #require(Bundle.main.executableURL)
        let program = tests.deletingLastPathComponent().appending(path: "alcedo").path
        // A terminal sends its signals to the programs of its session only.
        let session = screen == nil ? [] : ["setsid", "-c"]
        let script = #"echo $$ > pid; export XDG_CACHE_HOME="$PWD/caches" TERM=xterm; exec "$0" "$@""#
        process = try ChildProcess(
            ["/bin/sh", "-c", #"exec "$0" "$@""#] + session + ["/bin/sh", "-c", script, program] + arguments,
            in: directory.path, input: tool.fileDescriptor, output: tool.fileDescriptor)
        try tool.close()
        let thread = Thread { [output, end] in Self.read(end.fileDescriptor, into: output) }
        thread.start()
    }

    deinit { process.kill() }

    var screen: TestScreen { output.snapshot.screen }

    /// Waits until the program has written something that meets the condition. Throws if it ends first.
    @discardableResult
    func until(_ condition: @escaping @Sendable (TestScreen) -> Bool) async throws -> TestScreen {
        let screen = try await output.wait { output -> TestScreen?? in
            if condition(output.screen) { return .some(output.screen) }
            return output.hasEnded ? .some(nil) : nil
        }
        return try #require(screen, "The program has ended: \(self.screen.lines)")
    }

    /// Waits for the end of the program. Returns its exit status, or the negative number of the signal that ended it.
    func untilExit() async throws -> Int32 {
        _ = try await output.wait { $0.hasEnded ? true : nil }
        return process.waitUntilExit()
    }

    func resize(columns: Int) throws {
        output.update { $0.screen.resize(columns: columns) }
        // The system sends the signal.
        try Self.setSize(of: end, columns: columns)
    }

    /// Types on the terminal.
    func type(_ text: String) throws { try end.write(contentsOf: Data(text.utf8)) }

    func send(_ signal: Int32) throws {
        let text = try String(contentsOfFile: directory.file("pid"), encoding: .utf8)
        let id = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(id, signal) == 0)
    }

    // MARK: Terminals

    private static func setSize(of terminal: FileHandle, columns: Int) throws {
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(terminal.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0)
    }

    private static func terminal() throws -> (FileHandle, FileHandle) {
        var (master, slave): (Int32, Int32) = (-1, -1)
        try #require(openpty(&master, &slave, nil, nil, nil) == 0)
        for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (
            FileHandle(fileDescriptor: master, closeOnDealloc: true),
            FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        )
    }

    private static func pipe() throws -> (FileHandle, FileHandle) {
        let pipe = Pipe()
        return (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    }

    private static func read(_ descriptor: Int32, into output: Handshake<Output>) {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            // A terminal whose programs have ended is an error.
            guard count > 0 else { break }
            output.update { $0.screen.write(chunk[..<count]) }
        }
        output.update { $0.hasEnded = true }
    }
}
#endif
