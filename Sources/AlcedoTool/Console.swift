import Foundation
import Synchronization

/// The output of a command. Tests read it back.
///
/// It writes with bare system calls: a `FileHandle` ends the program if a pipe is closed or a disk is full.
final class Console: Sendable {
    private struct State {
        var output = ""
        var errors = ""
        var outputFailure: Int32?
    }

    /// Whether stdout is a terminal with room for the progress bars, where lines can be redrawn.
    let isTerminal: Bool
    private let descriptors: (output: Int32, errors: Int32)?
    private let state = Mutex(State())

    /// Prints to open files, by default stdout and stderr.
    init(output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO) {
        isTerminal = Self.canDraw(on: output)
        descriptors = (output, errors)
    }

    /// Captures the output.
    init(capturing: Void) {
        isTerminal = false
        descriptors = nil
    }

    var output: String { state.withLock { $0.output } }
    var errors: String { state.withLock { $0.errors } }

    /// The system's error code if output couldn't be written. Nothing is printed after that.
    var outputFailure: Int32? { state.withLock { $0.outputFailure } }

    func print(_ line: String) { write(line + "\n") }

    /// Prints without a newline.
    func write(_ text: String) {
        state.withLock { state in
            guard let descriptors else {
                state.output += text
                return
            }
            if state.outputFailure == nil { state.outputFailure = Self.write(text, to: descriptors.output) }
        }
    }

    /// Prints one line to stderr, even if the text contains line breaks.
    func error(_ text: String) {
        let line = OneLine.of(text) + "\n"
        state.withLock { state in
            guard let descriptors else {
                state.errors += line
                return
            }
            // There is nowhere left to report a failure.
            _ = Self.write(line, to: descriptors.errors)
        }
    }

    /// - Returns: The system's error code; nil if everything was written.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                offset += count
            } else if errno == EAGAIN {
                // Another process made the terminal or pipe non-blocking, so it has to be waited for here.
                var descriptors = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&descriptors, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// Bars are wider than a very narrow terminal, and counting lines can't erase one that wraps.
    private static func canDraw(on descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return false }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return true }
        return size.ws_col >= 64 && size.ws_row >= 10
    }
}

/// Formats text as one line that can't control a terminal.
enum OneLine {
    static func of(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { isControl($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
