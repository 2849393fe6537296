import Foundation
import Synchronization

/// The output of a command. Tests can capture it.
///
/// It writes with bare system calls: a `FileHandle` ends the program if a pipe is closed or a disk is full.
///
/// Bars are drawn on stderr, so that a pipe gets only the results. On a terminal, they stay below the printed lines.
/// The cursor stays at the beginning of the first bar, so all bars can be erased however many rows they take: many
/// terminals wrap lines again when their width changes. The cursor remains visible, so nothing needs to be restored if
/// the program is killed.
final class Console: Sendable {
    /// The output on stdout.
    private struct Output {
        var text = ""
        var failure: Int32?
    }

    /// The output on stderr and on the terminal.
    private struct Screen {
        var errors = ""
        /// Everything that is shown on a terminal that stdout and stderr share.
        var text = ""
        /// The bars that are on the screen.
        var bars: ProgressBars?
    }

    /// Whether stdout is a terminal.
    let isTerminal: Bool
    /// Whether stderr is a terminal on which bars can be redrawn.
    let showsBars: Bool
    let environment: TerminalEnvironment
    private let descriptors: (output: Int32, errors: Int32)?
    private let capturedSize: TerminalSize
    /// Locked inside ``screenState`` if both are needed. A full pipe must not stop the bars.
    private let outputState = Mutex(Output())
    private let screenState = Mutex(Screen())

    /// Prints to open files, by default stdout and stderr.
    init(
        output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO,
        _ environment: TerminalEnvironment = TerminalEnvironment(ProcessInfo.processInfo.environment)
    ) {
        isTerminal = isatty(output) == 1
        showsBars = isatty(errors) == 1 && environment.obeysEscapes
        self.environment = environment
        descriptors = (output, errors)
        capturedSize = TerminalSize()
    }

    /// Captures the output as for pipes.
    init(capturing: Void, isASCII: Bool = false) {
        (isTerminal, showsBars) = (false, false)
        environment = Self.environment(isASCII: isASCII)
        descriptors = nil
        capturedSize = TerminalSize()
    }

    /// Captures the output as for a terminal of this size.
    init(capturing size: TerminalSize, isASCII: Bool = false) {
        (isTerminal, showsBars) = (true, true)
        environment = Self.environment(isASCII: isASCII)
        descriptors = nil
        capturedSize = size
    }

    private static func environment(isASCII: Bool) -> TerminalEnvironment {
        TerminalEnvironment(["TERM": isASCII ? "dumb" : "xterm"])
    }

    var output: String { outputState.withLock { $0.text } }
    var errors: String { screenState.withLock { $0.errors } }
    /// Everything that the terminal got, including bars.
    var screen: String { screenState.withLock { $0.text } }

    /// Whether everything that is printed is ASCII.
    var isASCII: Bool { environment.isASCII }

    /// The system's error code if output couldn't be written. Nothing is printed after that.
    var outputFailure: Int32? { outputState.withLock { $0.failure } }

    func print(_ line: String) { write(shown(line) + "\n") }

    /// Prints a question. The answer is typed behind it.
    func ask(_ question: String) { write(shown(OneLine.of(question)) + " ") }

    private func write(_ text: String) {
        guard isTerminal else { return writeToOutput(text) }
        screenState.withLock { screen in
            withoutBars(&screen) { screen in
                writeToOutput(text)
                if descriptors == nil { screen.text += text }
            }
        }
    }

    private func writeToOutput(_ text: String) {
        outputState.withLock { output in
            guard output.failure == nil else { return }
            if let descriptors {
                output.failure = Self.write(text, to: descriptors.output)
            } else {
                output.text += text
            }
        }
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
        screenState.withLock { screen in
            withoutBars(&screen) { screen in
                writeToErrors(line, &screen)
                if descriptors == nil { screen.errors += line }
            }
        }
    }

    // MARK: Bars

    /// Shows bars in place of the ones on the screen; nil shows none.
    func draw(_ bars: ProgressBars?) {
        guard showsBars else { return }
        screenState.withLock { screen in
            let eraser = eraser(of: screen)
            screen.bars = bars
            writeToErrors(eraser + drawing(of: bars), &screen)
        }
    }

    /// Draws the bars again for the current size of the terminal.
    func redraw() {
        screenState.withLock { writeToErrors(eraser(of: $0) + drawing(of: $0.bars), &$0) }
    }

    /// Erases the bars, writes, and draws them again below.
    private func withoutBars(_ screen: inout Screen, _ write: (inout Screen) -> Void) {
        writeToErrors(eraser(of: screen), &screen)
        write(&screen)
        writeToErrors(drawing(of: screen.bars), &screen)
    }

    private var size: TerminalSize { descriptors.map { TerminalSize(of: $0.errors) } ?? capturedSize }

    /// The output that erases the bars. The cursor may have moved past text typed by the user.
    private func eraser(of screen: Screen) -> String { screen.bars == nil ? "" : "\r\u{1B}[J" }

    /// The output that draws bars. The terminal may have become narrower, so wrapping is switched off for these lines.
    private func drawing(of bars: ProgressBars?) -> String {
        guard let lines = bars?.lines(in: size, isASCII: isASCII), !lines.isEmpty else { return "" }
        let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
        return "\u{1B}[?7l" + lines.joined(separator: "\n") + "\u{1B}[?7h" + up + "\r"
    }

    private func writeToErrors(_ text: String, _ screen: inout Screen) {
        guard !text.isEmpty else { return }
        if let descriptors {
            // There is nowhere left to report a failure.
            _ = Self.write(text, to: descriptors.errors)
        } else {
            screen.text += text
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
