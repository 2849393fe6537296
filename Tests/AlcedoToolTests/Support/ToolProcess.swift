#if os(Linux)
import Foundation
import Glibc
import Testing

@testable import AlcedoTestSupport
@testable import AlcedoTool

/// The real program, with its output on a pseudo-terminal or in a pipe.
///
/// It has its own user's directory for caches, and is killed when the value is deallocated.
final class ToolProcess<Screen: ToolScreen>: Sendable {
    private struct Output {
        var screen: Screen
        var hasEnded = false
    }

    private let process: ChildProcess
    private let output: Handshake<Output>
    /// The other end of its terminal or pipe.
    private let end: FileHandle
    private let directory: TemporaryDirectory
    /// The settings that its terminal had before the program began.
    let formerSettings: [UInt32]

    /// - Parameters:
    ///   - screen: What the program writes to.
    ///   - isTerminal: Whether that is a terminal; otherwise it is a pipe.
    ///   - directory: Where it runs, and has its caches.
    ///   - script: Starts the program, `"$0" "$@"`.
    init(
        _ arguments: [String], screen: Screen, isTerminal: Bool = true, in directory: TemporaryDirectory,
        script: String = #"exec "$0" "$@""#
    ) throws {
        self.directory = directory
        let (end, tool) = try isTerminal ? Self.terminal() : Self.pipe()
        self.end = end
        output = Handshake(Output(screen: screen))
        if isTerminal { try Self.setSize(of: end, screen.size) }
        formerSettings = isTerminal ? try Self.settings(of: end) : []
        let tests = try #require(Bundle.main.executableURL)
        let program = tests.deletingLastPathComponent().appending(path: "alcedo-tool").path
        // A terminal sends its signals to the programs of its session only.
        let session = isTerminal ? ["setsid", "-c"] : []
        // The package manager sets NO_COLOR for tests.
        let environment = #"unset NO_COLOR; export XDG_CACHE_HOME="$PWD/caches" TERM=xterm LC_ALL=C.UTF-8; "#
        let script = "echo $$ > pid; " + environment + script
        process = try ChildProcess(
            ["/bin/sh", "-c", #"exec "$0" "$@""#] + session + ["/bin/sh", "-c", script, program] + arguments,
            in: directory.path, input: tool.fileDescriptor, output: tool.fileDescriptor)
        try tool.close()
        let thread = Thread { [output, end] in Self.read(end.fileDescriptor, into: output) }
        thread.start()
    }

    deinit { process.kill() }

    var screen: Screen { output.snapshot.screen }

    /// Waits until the program has written something that meets the condition. Throws if it ends first.
    @discardableResult
    func until(_ condition: @escaping @Sendable (Screen) -> Bool) async throws -> Screen {
        let screen = try await output.wait { output -> Screen?? in
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

    func resize(_ size: TerminalSize) throws {
        output.update { $0.screen.resize(size) }
        // The system sends the signal.
        try Self.setSize(of: end, size)
    }

    /// Types on the terminal.
    func type(_ text: String) throws { try end.write(contentsOf: Data(text.utf8)) }

    /// The settings of its terminal, as they can be compared.
    func terminalSettings() throws -> [UInt32] { try Self.settings(of: end) }

    private static func settings(of terminal: FileHandle) throws -> [UInt32] {
        var settings = termios()
        try #require(tcgetattr(terminal.fileDescriptor, &settings) == 0)
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
            + withUnsafeBytes(of: settings.c_cc) { $0.map { UInt32($0) } }
    }

    func send(_ signal: Int32) throws {
        let text = try String(contentsOfFile: directory.file("pid"), encoding: .utf8)
        let id = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(id, signal) == 0)
    }

    // MARK: Terminals

    private static func setSize(of terminal: FileHandle, _ size: TerminalSize) throws {
        // The cells are of 8 × 16 pixels.
        var size = winsize(
            ws_row: UInt16(size.rows), ws_col: UInt16(size.columns), ws_xpixel: UInt16(size.columns * 8),
            ws_ypixel: UInt16(size.rows * 16))
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
            let replies = output.update { output in
                output.screen.write(chunk[..<count])
                return output.screen.takeReplies()
            }
            if !replies.isEmpty { _ = Glibc.write(descriptor, replies, replies.count) }
        }
        output.update { $0.hasEnded = true }
    }
}

extension ToolProcess<TestScreen> {
    /// - Parameter screen: What the program writes to; nil for a pipe.
    convenience init(_ arguments: [String], on screen: TestScreen?, in directory: TemporaryDirectory) throws {
        try self.init(arguments, screen: screen ?? .pipe, isTerminal: screen != nil, in: directory)
    }

    func resize(columns: Int) throws { try resize(TerminalSize(columns: columns, rows: 24)) }
}
#endif
