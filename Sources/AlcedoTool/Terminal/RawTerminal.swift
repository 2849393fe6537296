import Foundation
import Synchronization

/// The terminal while the program uses its whole screen: keys arrive one by one and aren't echoed, output goes to the
/// alternate screen, and the cursor is hidden.
///
/// It is restored exactly once, however the program ends: at the end, by the thread that watches signals, or by the
/// handlers of signals that report a crash. A process has one terminal, and a signal handler can't capture anything, so
/// this is static.
enum RawTerminal {
    private struct State {
        /// The source of keys and the target of output; nil before ``enter(input:output:)`` and after ``leave()``.
        var descriptors: (input: Int32, output: Int32)?
        /// The settings to restore; nil while there is nothing to restore.
        var former: termios?
        var leaving = Array(leavingText.utf8)
    }

    private static let state = Mutex(State())

    /// Takes the terminal. Must be called once. In the background, first stops the program until it has the terminal.
    static func enter(input: Int32, output: Int32) throws(POSIXError) {
        watchCrashes()
        // The system ignores the signal if there is no shell that could continue the program.
        for _ in 0..<10 where isInBackground(input) {
            stopInBackground()
            _ = poll(nil, 0, 10)
        }
        if isInBackground(input) { throw POSIXError(.EIO) }
        try state.withLock { state throws(POSIXError) in
            state.descriptors = (input, output)
            try take(&state)
        }
    }

    /// Restores the terminal permanently. Nothing is written after that.
    static func leave() {
        state.withLock { state in
            restore(&state)
            state.descriptors = nil
        }
    }

    /// Restores the terminal and stops the program, as Ctrl-Z does. Returns when the program continues and has the
    /// terminal again.
    static func suspend() {
        state.withLock { restore(&$0) }
        SignalWatch.performDefault(SIGTSTP)
        resume()
    }

    /// Takes the terminal again after ``suspend()``, or after another program may have changed it.
    ///
    /// In the background, stops the program instead; call this again when the program continues.
    static func resume() {
        if let input = state.withLock({ $0.descriptors?.input }), isInBackground(input) { return stopInBackground() }
        state.withLock { state in
            do throws(POSIXError) {
                try take(&state)
            } catch {
                // The terminal is gone, and with it the user who could read an error.
                state.descriptors = nil
            }
        }
    }

    /// Whether another program has the terminal.
    static func isInBackground(_ terminal: Int32) -> Bool {
        let owner = tcgetpgrp(terminal)
        return owner > 0 && owner != getpgrp()
    }

    /// Stops the program, as the system does when a program in the background uses the terminal. The system itself
    /// doesn't if the calling thread blocks the signal, as Dispatch's threads do.
    private static func stopInBackground() { _ = kill(0, SIGTTOU) }

    /// Writes to the terminal unless it has been restored.
    static func write(_ text: String) {
        state.withLock { state in
            guard state.former != nil, let output = state.descriptors?.output, !text.isEmpty else { return }
            // Errors can be ignored: a terminal that is gone sends SIGHUP.
            _ = Console.write(text, to: output)
        }
    }

    /// Adds text that is written just before the terminal is restored.
    static func onLeaving(_ text: String) {
        state.withLock { $0.leaving = Array((text + leavingText).utf8) }
    }

    // MARK: Sequences

    /// Switches to the alternate screen and hides the cursor. Text that exceeds a line is cut off, so nothing scrolls.
    private static let enteringText = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let leavingText = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private static func take(_ state: inout State) throws(POSIXError) {
        guard let (input, output) = state.descriptors else { return }
        var settings = termios()
        guard tcgetattr(input, &settings) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        if state.former == nil { state.former = settings }
        // Ctrl-C and Ctrl-Z remain signals.
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
        settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        _ = tcsetattr(input, TCSADRAIN, &settings)
        _ = Console.write(enteringText, to: output)
    }

    private static func restore(_ state: inout State, _ moment: Int32 = TCSAFLUSH) {
        guard var former = state.former, let (input, output) = state.descriptors else { return }
        state.former = nil
        // This may run in a signal handler, so nothing here allocates or locks.
        _ = state.leaving.withUnsafeBytes { Foundation.write(output, $0.baseAddress, $0.count) }
        _ = tcsetattr(input, moment, &former)
    }

    // MARK: Crashes

    private static func watchCrashes() {
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS] {
            _ = signal(number) { number in
                // Another thread that holds the lock will finish its write in the meantime. If this thread holds it,
                // nothing can be done.
                for _ in 0..<500 {
                    if RawTerminal.state.withLockIfAvailable({ RawTerminal.restore(&$0, TCSANOW) }) != nil { break }
                    _ = poll(nil, 0, 1)
                }
                _ = signal(number, SIG_DFL)
                // The signal ends the program as soon as this handler has returned.
                raise(number)
            }
        }
    }
}
