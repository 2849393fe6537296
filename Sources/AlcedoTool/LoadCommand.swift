import Alcedo
import Foundation

/// `alcedo load`: loads URLs and files concurrently and reports each as it finishes.
struct LoadCommand {
    var options: LoadOptions
    var console: Console
    var configuration = ImageLoader.Configuration.ofCommands
    /// The maximum number of events in a timeline.
    var eventCapacity = 100_000
    var threads = WorkerThreads.drawing

    /// - Returns: The exit code. It has no meaning if the calling Task is cancelled.
    func run() async -> Int32 {
        let files = [options.sheetFile, options.timeline?.file].compactMap(\.self)
        let (items, names) = LoadItem.all(of: options)
        guard options.cache.isThere("load", console), files.allSatisfy({ $0.mayBeWritten(console) }),
            hasRoom(for: items.count)
        else { return 1 }
        let display = ProgressDisplay(console: console, total: items.count, isShown: !options.isQuiet)
        let recorder = LoadRecorder(capacity: eventCapacity)
        let loader = makeLoader(display, recorder)
        let remoteNames = RemoteNames(names, options)
        let session = LoadSession(options: options, loader: loader, threads: threads, names: remoteNames)
        var outcomes: [LoadSession.Outcome] = []
        var isGood = true
        await display.during {
            await AsFinished.forEach(items, window: options.network.jobs ?? 12) {
                await session.load($0)
            } receive: { outcome in
                // The user has ended the program and needs no message.
                if outcome.isCancelled { return }
                outcomes.append(outcome)
                isGood = show(outcome.report) && isGood
                display.update { $0.finish(isGood: outcome.report.error == nil) }
            }
        }
        if !Task.isCancelled {
            outcomes.sort { $0.index < $1.index }
            if let file = options.sheetFile {
                let thumbnails = outcomes.compactMap(\.thumbnail)
                isGood = await threads.run { drawSheet(of: thumbnails, to: file) } && isGood
            }
            if options.printsJSON { isGood = printJSON(outcomes.map(\.report)) && isGood }
        }
        await loader.flushEvenIfCancelled()
        // The timeline includes cancelled loads.
        if let file = options.timeline { isGood = await file.write(recorder, on: console, threads) && isGood }
        return isGood ? 0 : 1
    }

    private func makeLoader(_ display: ProgressDisplay, _ recorder: LoadRecorder) -> ImageLoader {
        var configuration = configuration
        options.network.apply(to: &configuration)
        options.decoding.apply(to: &configuration)
        options.cache.apply(to: &configuration)
        let warnings = CacheWarnings(console: console)
        configuration.tell({ warnings.receive($0) }, { display.receive($0) })
        if options.timeline != nil { configuration.eventSinks.append(recorder) }
        return Main.makeLoader(configuration)
    }

    /// - Returns: Whether the report is a success.
    private func show(_ report: LoadReport) -> Bool {
        if let error = report.error {
            console.error("\(report.url): \(error)")
            return false
        }
        if !options.printsJSON, !options.isQuiet { console.print(report.line) }
        return true
    }

    private func printJSON(_ reports: [LoadReport]) -> Bool {
        do {
            try console.print(json: reports)
            return true
        } catch {
            console.error("alcedo load: \(error)")
            return false
        }
    }

    /// Whether the sheet, if there is one, has room for so many images. Prints an error if it doesn't, so that nothing
    /// is loaded in vain.
    private func hasRoom(for count: Int) -> Bool {
        let capacity = ContactSheet.ofLoads(count).capacity
        guard let file = options.sheetFile, count > capacity else { return true }
        console.error("\(file.path): a sheet has room for \(capacity) images, but \(count) are given")
        return false
    }

    private func drawSheet(of thumbnails: [Bitmap], to file: OutputFile) -> Bool {
        guard !thumbnails.isEmpty else {
            console.error("\(file.path): there is no image to draw")
            return false
        }
        do {
            let png = try PNGEncoder().encode(ContactSheet.ofLoads(thumbnails.count).draw(thumbnails))
            return file.write(png, on: console)
        } catch {
            console.error("\(file.path): \(ErrorText.of(error))")
            return false
        }
    }
}
