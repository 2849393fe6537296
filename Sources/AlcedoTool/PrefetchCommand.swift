import Alcedo
import Foundation
import Synchronization

/// `alcedo prefetch`: fills the disk cache from a list of URLs.
struct PrefetchCommand {
    var options: PrefetchOptions
    var console: Console
    var configuration = ImageLoader.Configuration.ofCommands
    /// The maximum number of events in a timeline.
    var eventCapacity = 100_000
    var threads = WorkerThreads.drawing

    /// - Returns: The exit code. It has no meaning if the calling Task is cancelled.
    func run() async -> Int32 {
        guard options.cache.isThere("prefetch", console), options.timeline?.file.mayBeWritten(console) ?? true else {
            return 1
        }
        let list: URLList
        do {
            list = URLList(try await URLList.read(options.file))
        } catch {
            if !Task.isCancelled { console.error("alcedo prefetch: \(options.file): \(ErrorText.of(error))") }
            return 1
        }
        if Task.isCancelled { return 1 }
        for problem in list.problems {
            console.error("\(ShownText.of(url: problem.text)): \(ErrorText.of(problem.error))")
        }
        let total = list.requests.count + list.problems.count
        let display = ProgressDisplay(console: console, total: total, isShown: !options.isQuiet)
        let failures = LoadFailures()
        display.update { bars in for _ in list.problems { bars.finish(isGood: false) } }
        let recorder = LoadRecorder(capacity: eventCapacity)
        let loader = makeLoader(display, failures, recorder)
        let progress = await display.during { await prefetch(list, with: loader, display) }
        var isGood = false
        if !Task.isCancelled { isGood = report(list, progress, failures) }
        await loader.flushEvenIfCancelled()
        if let file = options.timeline { isGood = await file.write(recorder, on: console, threads) && isGood }
        return isGood ? 0 : 1
    }

    private func makeLoader(
        _ display: ProgressDisplay, _ failures: LoadFailures, _ recorder: LoadRecorder
    ) -> ImageLoader {
        var configuration = configuration
        options.cache.apply(to: &configuration)
        // Prefetching never takes more than half of the slots, neither in total nor per host.
        options.network.apply(to: &configuration, slotsPerJob: 2)
        let warnings = CacheWarnings(console: console)
        configuration.tell({ warnings.receive($0) }, { display.receive($0) }, { failures.receive($0) })
        if options.timeline != nil { configuration.eventSinks.append(recorder) }
        return Main.makeLoader(configuration)
    }

    private func prefetch(
        _ list: URLList, with loader: ImageLoader, _ display: ProgressDisplay
    ) async -> ImagePrefetcher.Progress? {
        if list.requests.isEmpty { return nil }
        let prefetcher = ImagePrefetcher(loader, destination: .disk, window: options.network.jobs ?? 12)
        prefetcher.start(list.requests)
        var last: ImagePrefetcher.Progress?
        // This loop ends early if the calling Task is cancelled. Then the prefetcher is released, which cancels its
        // loads.
        for await progress in prefetcher.progressUpdates {
            last = progress
            display.update { bars in
                bars.finished = progress.total - progress.remaining + list.problems.count
                bars.failed = progress.failed + list.problems.count
            }
            if progress.remaining == 0 { break }
        }
        return last
    }

    // MARK: Reporting

    private func report(
        _ list: URLList, _ progress: ImagePrefetcher.Progress?, _ failures: LoadFailures
    ) -> Bool {
        let failed = failed(list, failures)
        for failure in failed { console.error("\(failure.url): \(failure.error)") }
        let invalid = list.problems.map { PrefetchReport.Failure($0.text, $0.error) }
        let report = PrefetchReport(progress, invalid + failed, invalid: invalid.count)
        guard options.printsJSON else {
            if !options.isQuiet { console.print(report.line) }
            return report.failed == 0
        }
        do {
            try console.print(json: report)
            return report.failed == 0
        } catch {
            console.error("alcedo prefetch: \(error)")
            return false
        }
    }

    /// The URLs that failed. They are collected here because the prefetcher only counts them.
    private func failed(_ list: URLList, _ failures: LoadFailures) -> [PrefetchReport.Failure] {
        let errors = failures.all
        return list.requests.compactMap { request in
            guard let url = request.url, let error = errors[url] else { return nil }
            return PrefetchReport.Failure(url.absoluteString, error)
        }
    }
}

/// The error of each URL that couldn't be loaded.
private final class LoadFailures: Sendable {
    private let errors = Mutex<[URL: ImageLoaderError]>([:])

    var all: [URL: ImageLoaderError] { errors.withLock { $0 } }

    func receive(_ event: ToolEvent) {
        guard case .loadFailed(let url, let error) = event else { return }
        errors.withLock { $0[url] = error }
    }
}
