import Alcedo
import Foundation

/// `alcedo load`: loads URLs concurrently and reports each as soon as possible, in the order in which they were given.
struct LoadCommand {
    var options: LoadOptions
    var console: Console
    var configuration = ImageLoader.Configuration()

    func run() async -> Int32 {
        let loader = makeLoader()
        var isGood = true
        var reports: [LoadReport] = []
        var thumbnails: [Bitmap] = []
        var names = FileNames()
        await InOrder.forEach(options.texts) {
            await load($0, with: loader)
        } receive: { outcome in
            let report = finish(outcome, &names)
            if report.error != nil { isGood = false }
            if options.printsJSON { reports.append(report) }
            if let thumbnail = outcome.thumbnail { thumbnails.append(thumbnail) }
        }
        if let file = options.sheetFile { isGood = drawSheet(of: thumbnails, to: file) && isGood }
        if options.printsJSON { isGood = printJSON(reports) && isGood }
        await loader.flush()
        return isGood ? 0 : 1
    }

    /// The retained result of a load. It excludes the image, because hundreds of them would fill the memory.
    private struct Outcome {
        var report: LoadReport
        var format: ImageFormat?
        /// For the sheet, if one was requested.
        var thumbnail: Bitmap?
        /// The original file, if it has to be saved.
        var bytes: Data?
    }

    private func makeLoader() -> ImageLoader {
        var configuration = configuration
        let warnings = CacheWarnings(console: console)
        configuration.onEvent { warnings.receive($0) }
        return ImageLoader(configuration)
    }

    // MARK: Loading

    private func load(_ text: String, with loader: ImageLoader) async -> Outcome {
        do throws(ImageLoaderError) {
            let request = try ImageRequest(text)
            let response = try await loader.response(for: request)
            var outcome = Outcome(report: LoadReport(text, response), format: response.image.format)
            if options.sheetFile != nil { outcome.thumbnail = try ContactSheet().reduced(response.image.bitmap) }
            // The bytes are in the disk cache at this point.
            if options.outputDirectory != nil { outcome.bytes = try await loader.data(for: request) }
            return outcome
        } catch {
            return Outcome(report: LoadReport(text, error))
        }
    }

    // MARK: Reporting

    private func finish(_ outcome: Outcome, _ names: inout FileNames) -> LoadReport {
        var report = outcome.report
        if let directory = options.outputDirectory, let bytes = outcome.bytes {
            report.save(bytes, as: names.name(for: report.url, outcome.format), in: directory)
        }
        if let error = report.error {
            console.error("\(report.url): \(error)")
        } else if !options.printsJSON {
            console.print(report.line)
        }
        return report
    }

    private func printJSON(_ reports: [LoadReport]) -> Bool {
        do {
            console.print(try JSONText.of(reports))
            return true
        } catch {
            console.error("alcedo load: \(error)")
            return false
        }
    }

    private func drawSheet(of thumbnails: [Bitmap], to file: String) -> Bool {
        guard !thumbnails.isEmpty else {
            console.error("\(file): there is no picture to draw")
            return false
        }
        do {
            let png = try PNGEncoder().encode(ContactSheet(columns: min(8, thumbnails.count)).draw(thumbnails))
            try png.write(to: URL(fileURLWithPath: file))
            return true
        } catch {
            console.error("\(file): \(ErrorText.of(error))")
            return false
        }
    }
}
