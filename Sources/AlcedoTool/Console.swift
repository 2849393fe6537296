import Foundation
import Synchronization

/// Where a command prints. A test reads it back.
final class Console: Sendable {
    private struct Captured {
        var output = ""
        var errors = ""
    }

    /// Whether stdout is a terminal, where lines can be drawn again.
    let isTerminal: Bool
    private let isCapturing: Bool
    private let captured = Mutex(Captured())

    /// Prints to stdout and stderr.
    init() {
        isTerminal = isatty(STDOUT_FILENO) == 1
        isCapturing = false
    }

    /// Keeps what is printed.
    init(capturing: Void) {
        isTerminal = false
        isCapturing = true
    }

    var output: String { captured.withLock { $0.output } }
    var errors: String { captured.withLock { $0.errors } }

    func print(_ line: String) { write(line + "\n") }

    /// Prints without an end of line.
    func write(_ text: String) {
        if isCapturing {
            captured.withLock { $0.output += text }
        } else {
            FileHandle.standardOutput.write(Data(text.utf8))
        }
    }

    func error(_ line: String) {
        if isCapturing {
            captured.withLock { $0.errors += line + "\n" }
        } else {
            FileHandle.standardError.write(Data((line + "\n").utf8))
        }
    }
}
