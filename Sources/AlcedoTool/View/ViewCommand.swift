import Alcedo
import Foundation
import Synchronization

/// `alcedo view`: shows images on the terminal.
struct ViewCommand {
    var options: ViewOptions
    var console: Console
    var events: TerminalEvents
    var configuration = ImageLoader.Configuration.ofCommands

    /// - Returns: The exit code. It has no meaning if the calling Task is cancelled.
    func run() async -> Int32 {
        if let obstacle = ViewObstacle(isTerminal: console.isTerminal, console.environment) {
            console.error("alcedo view: \(obstacle.reason)")
            console.error(obstacle.remedy)
            return 1
        }
        let items: [ViewItem]
        do {
            let list = options.readsInput ? try await URLList.read("-") : Data()
            items = ViewItem.all(of: options.texts, list: list)
        } catch {
            return fail("standard input: \(ErrorText.of(error))")
        }
        if Task.isCancelled || !options.cache.isThere("view", console) { return 1 }
        if items.isEmpty { return fail("standard input contains no URL or path") }
        // Standard input may be the list.
        let input = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC)
        if input < 0 { return fail("there is no terminal to read keys from: \(ErrorText.of(systemCode: errno))") }
        return await show(items, input)
    }

    private func fail(_ reason: String) -> Int32 {
        if !Task.isCancelled { console.error("alcedo view: \(reason)") }
        return 1
    }

    @MainActor private func show(_ items: [ViewItem], _ input: Int32) async -> Int32 {
        // Warnings are printed at the end, because they would garble the screen.
        let warnings = Mutex<[CacheFailure]>([])
        let loader = makeLoader { failure in warnings.withLock { $0.append(failure) } }
        do throws(POSIXError) {
            try RawTerminal.enter(input: input, output: STDOUT_FILENO)
        } catch {
            return fail("the terminal: \(ErrorText.of(error))")
        }
        let output = TerminalOutput(STDOUT_FILENO, options.graphics, hasColors: console.environment.hasColors)
        output.queryGraphics()
        events.readKeys(from: input)
        await PictureScreen(items, columns: options.columns, loader, output).run(events)
        RawTerminal.leave()
        await loader.flushEvenIfCancelled()
        let printer = CacheWarnings(console: console)
        for failure in warnings.withLock({ $0 }) { printer.receive(failure) }
        return 0
    }

    private func makeLoader(_ warn: @escaping @Sendable (CacheFailure) -> Void) -> ImageLoader {
        var configuration = configuration
        options.network.apply(to: &configuration)
        options.decoding.apply(to: &configuration)
        options.cache.apply(to: &configuration)
        configuration.tell { event in
            if case .cacheFailed(let failure) = event { warn(failure) }
        }
        return Main.makeLoader(configuration)
    }
}
