import Foundation
import Synchronization

/// The output of a command. Tests can capture it.
///
/// It writes with bare system calls: a `FileHandle` ends the program if a pipe is closed or a disk is full.
///
/// On a terminal, bars stay below the printed lines. The cursor stays at the beginning of the first bar, so all bars
/// can be erased however many rows they take: many terminals wrap lines again when their width changes. The cursor
/// remains visible, so nothing needs to be restored if the program is killed.
final class Console: Sendable {
    private struct State {
        var output = ""
        var errors = ""
        var outputFailure: Int32?
        /// The bars that are on the screen.
        var bars: ProgressBars?
    }

    /// Whether stdout is a terminal on which bars can be redrawn.
    let isTerminal: Bool
    /// Whether everything that is printed is ASCII.
    let isASCII: Bool
    /// Whether colors may be used.
    let hasColors: Bool
    private let descriptors: (output: Int32, errors: Int32)?
    private let capturedSize: TerminalSize
    private let state = Mutex(State())

    /// Prints to open files, by default stdout and stderr.
    init(
        output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO,
        _ environment: TerminalEnvironment = TerminalEnvironment(ProcessInfo.processInfo.environment)
    ) {
        isTerminal = isatty(output) == 1 && environment.obeysEscapes
        isASCII = environment.isASCII
        hasColors = environment.hasColors
        descriptors = (output, errors)
        capturedSize = TerminalSize()
    }

    /// Captures the output.
    init(capturing: Void, isASCII: Bool = false) {
        isTerminal = false
        self.isASCII = isASCII
        hasColors = true
        descriptors = nil
        capturedSize = TerminalSize()
    }

    /// Captures the output as for a terminal of this size.
    init(capturing size: TerminalSize, isASCII: Bool = false) {
        isTerminal = true
        self.isASCII = isASCII
        hasColors = true
        descriptors = nil
        capturedSize = size
    }

    var output: String { state.withLock { $0.output } }
    var errors: String { state.withLock { $0.errors } }

    /// The system's error code if output couldn't be written. Nothing is printed after that.
    var outputFailure: Int32? { state.withLock { $0.outputFailure } }

    func print(_ line: String) {
        let line = shown(line)
        state.withLock { write(eraser(of: $0) + line + "\n" + drawing(of: $0.bars), &$0) }
    }

    /// The text in a form that the terminal or file can show.
    private func shown(_ text: String) -> String {
        let text = ArgumentText.shown(text)
        return isASCII ? ASCIIText.of(text) : text
    }

    /// Prints a value as JSON.
    func print(json value: some Encodable) throws { print(try JSONText.of(value, isASCII: isASCII)) }

    /// Prints one line to stderr, even if the text contains line breaks, without the secrets of URLs.
    func error(_ text: String) {
        let line = shown(OneLine.of(ShownText.of(text))) + "\n"
        state.withLock { state in
            // stdout and stderr may be the same terminal.
            write(eraser(of: state), &state)
            if let descriptors {
                // There is nowhere left to report a failure.
                _ = Self.write(line, to: descriptors.errors)
            } else {
                state.errors += line
            }
            write(drawing(of: state.bars), &state)
        }
    }

    /// Shows bars in place of the ones on the screen; nil shows none.
    func draw(_ bars: ProgressBars?) {
        guard isTerminal else { return }
        state.withLock { state in
            let eraser = eraser(of: state)
            state.bars = bars
            write(eraser + drawing(of: bars), &state)
        }
    }

    /// Draws the bars again for the current size of the terminal.
    func redraw() {
        state.withLock { write(eraser(of: $0) + drawing(of: $0.bars), &$0) }
    }

    private var size: TerminalSize { descriptors.map { TerminalSize(of: $0.output) } ?? capturedSize }

    /// The output that erases the bars. The cursor may have moved past text typed by the user.
    private func eraser(of state: State) -> String { state.bars == nil ? "" : "\r\u{1B}[J" }

    /// The output that draws bars. The terminal may have become narrower, so wrapping is switched off for these lines.
    private func drawing(of bars: ProgressBars?) -> String {
        guard let lines = bars?.lines(in: size, isASCII: isASCII), !lines.isEmpty else { return "" }
        let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
        return "\u{1B}[?7l" + lines.joined(separator: "\n") + "\u{1B}[?7h" + up + "\r"
    }

    private func write(_ text: String, _ state: inout State) {
        guard !text.isEmpty, state.outputFailure == nil else { return }
        if let descriptors {
            state.outputFailure = Self.write(text, to: descriptors.output)
        } else {
            state.output += text
        }
    }

    /// - Returns: The system's error code; nil if everything was written.
    static func write(_ text: String, to descriptor: Int32) -> Int32? {
        let bytes = Array(text.utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                offset += count
            } else if errno == EAGAIN {
                // Another process made the terminal or pipe non-blocking, so this code has to wait for it.
                var descriptors = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&descriptors, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

/// Formats text as one line that can't control a terminal.
enum OneLine {
    static func of(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return text.unicodeScalars.map { isUnsafe($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
    }

    /// Whether the scalar moves the cursor or ends the line.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// Whether the scalar is a control character, changes the direction of writing, is invisible, or isn't allowed in
    /// XML.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        // Joiners are parts of letters and pictographs.
        if ("\u{200C}"..."\u{200D}").contains(scalar) { return false }
        let properties = scalar.properties
        return isControl(scalar) || properties.generalCategory == .format || properties.isNoncharacterCodePoint
    }
}
