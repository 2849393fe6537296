import Alcedo
import Foundation
import Synchronization

/// `alcedo`: the library's command-line tool.
@main
struct Main {
    static func main() async {
        // If the reader has closed the pipe, the write fails instead of ending the program, and the cache is still
        // cleaned up.
        signal(SIGPIPE, SIG_IGN)
        occupyStandardDescriptors()
        let console = Console()
        let arguments = Array(ArgumentText.ofProgram.dropFirst())
        let events = TerminalEvents()
        watchSignals(of: arguments.first ?? "", console, events)
        let work = Task { await run(arguments, on: console, events) }
        endableWork.withLock { $0 = work }
        // The signal may have arrived before there was something to cancel.
        if endingSignal.load(ordering: .acquiring) != 0 { work.cancel() }
        let code = await work.value
        let signal = endingSignal.load(ordering: .acquiring)
        exit(signal == 0 ? exitCode(code, of: console) : 128 + signal)
    }

    // MARK: Signals

    /// The commands that must be cancelled to end. The others can be ended at any time, because a disk cache is always
    /// consistent.
    private static let loading: Set = ["load", "view", "prefetch", "probe", "demo"]

    /// The signal that ends the program; 0 if none has arrived.
    private static let endingSignal = Atomic<Int32>(0)

    private static let endableWork = Mutex<Task<Int32, Never>?>(nil)

    /// The downloads of the command's loaders.
    private static let downloads = Mutex(LoaderDownloads())

    /// Makes the loader of a command that ends when it is cancelled.
    static func makeLoader(_ configuration: ImageLoader.Configuration) -> ImageLoader {
        let loader = ImageLoader(configuration)
        downloads.withLock { $0.add(loader.downloads) }
        return loader
    }

    private static func watchSignals(of command: String, _ console: Console, _ events: TerminalEvents) {
        let endsAtOnce = !loading.contains(command)
        // Redrawing waits for other output. If nothing is drawn, this wait must not delay the end of the program.
        let redrawn = console.showsBars ? [SIGWINCH] : []
        let others = command == "view" && console.isTerminal ? [SIGWINCH, SIGTSTP, SIGCONT] : redrawn
        SignalWatch.start(ending: [SIGINT, SIGTERM, SIGHUP], others: others) { signal in
            switch signal {
            case SIGWINCH:
                console.redraw()
                events.tell(.resized)
            case SIGTSTP:
                RawTerminal.suspend()
                events.tell(.resumed)
            case SIGCONT:
                RawTerminal.resume()
                events.tell(.resumed)
            case _ where endsAtOnce: _exit(128 + signal)
            default: end(signal)
            }
        }
    }

    private static func end(_ signal: Int32) {
        // Only the first signal counts.
        _ = endingSignal.compareExchange(expected: 0, desired: signal, ordering: .acquiringAndReleasing)
        // The terminal is restored immediately, however long the work takes to end.
        RawTerminal.leave()
        guard let work = endableWork.withLock({ $0 }) else { return }
        let downloads = downloads.withLock { $0.all }
        Task {
            // Loads are cancelled one by one. No other load may begin in a slot that a cancelled one releases.
            for downloads in downloads { await downloads.pause() }
            work.cancel()
        }
    }

    // MARK: Commands

    /// - Returns: The exit code: 0 if everything succeeded, 1 if something failed, 2 if the arguments are invalid.
    static func run(
        _ arguments: [String], on console: Console, _ events: TerminalEvents = TerminalEvents()
    ) async -> Int32 {
        do throws(UsageError) {
            if let text = try information(arguments) {
                console.print(text)
                return 0
            }
            if let text = shortHelp(arguments) {
                for line in text.components(separatedBy: "\n") { console.error(line) }
                return 2
            }
            let rest = Array(arguments.dropFirst())
            switch arguments.first {
            case "load": return await LoadCommand(options: try LoadOptions(rest), console: console).run()
            case "view":
                return await ViewCommand(options: try ViewOptions(rest), console: console, events: events).run()
            case "prefetch": return await PrefetchCommand(options: try PrefetchOptions(rest), console: console).run()
            case "probe": return await ProbeCommand(options: try ProbeOptions(rest), console: console).run()
            case "cache":
                let answer = console.isTerminal && isatty(STDIN_FILENO) == 1 ? TypedLine.read : nil
                return await CacheCommand(options: try CacheOptions(rest), console: console, answer: answer).run()
            case "demo":
                let given = try Arguments(CommandTable.demo, rest)
                try given.requireOutput("--timeline")
                return await DemoCommand(console: console, timeline: try TimelineFile(given)).run()
            case let unknown?:
                let kind = unknown.hasPrefix("-") ? "option" : "command"
                let hint = Spelling.hint(
                    unknown, of: CommandTable.alcedo.commands.map(\.word) + ["--version", "--help"])
                throw UsageError("", "unknown \(kind): \(unknown)\(hint)")
            case nil: throw UsageError("", "no command")
            }
        } catch {
            console.error(error.message)
            console.error(error.hint)
            return 2
        }
    }

    /// The output for arguments that only ask for information about the program; nil for other arguments.
    private static func information(_ arguments: [String]) throws(UsageError) -> String? {
        let given = arguments.prefix { $0 != "--" }
        let words = given.filter { !OptionSpec.forHelp.names.contains($0) }
        if words.count < given.count { return HelpText().of(CommandTable.alcedo.find(words)) }
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "--version", "-V":
            _ = try Arguments(CommandTable.alcedo, arguments)
            return "alcedo \(ToolVersion.text)"
        case "help":
            let command = CommandTable.alcedo.find(rest)
            let depth = command.name.split(separator: " ").count
            guard depth == rest.count else {
                let hint = Spelling.hint(rest[depth], of: command.commands.map(\.word))
                throw UsageError("help", "unknown command: \(rest[depth])\(hint)")
            }
            return HelpText().of(command)
        case "man":
            // For packagers, and so neither in the help nor in the completions.
            if let other = rest.first { throw UsageError("", "unknown argument: \(other)") }
            return ManualPage(root: CommandTable.alcedo).text
        case "completions":
            let given = try Arguments(CommandTable.completions, rest)
            let shells = Completions.shells.joined(separator: ", ")
            guard let shell = given.operands.first else {
                throw given.refusal("no shell, which must be one of \(shells)")
            }
            if given.operands.count > 1 { throw given.refusal("unknown argument: \(given.operands[1])") }
            guard let text = Completions.text(for: shell, of: CommandTable.alcedo) else {
                throw given.refusal("unknown shell: \(shell); it must be one of \(shells)")
            }
            return text
        default: return nil
        }
    }

    /// The help for arguments that lack a command; nil for other arguments.
    private static func shortHelp(_ arguments: [String]) -> String? {
        let command = CommandTable.alcedo.find(arguments)
        let isWhole = command.name.split(separator: " ").count == arguments.count
        return isWhole && !command.commands.isEmpty ? HelpText().short(of: command) : nil
    }

    /// Occupies closed standard descriptors. If the parent process closed stdout, the next file or socket would get its
    /// number and receive the output. A read-only descriptor makes output fail instead.
    private static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Returns the exit code. Lost output turns a success into a failure, unless the reader closed the pipe.
    static func exitCode(_ code: Int32, of console: Console) -> Int32 {
        guard let failure = console.outputFailure, failure != EPIPE else { return code }
        console.error("alcedo: the output is incomplete: \(ErrorText.of(systemCode: failure))")
        return max(code, 1)
    }
}
