import Alcedo
import Foundation

/// `alcedo load`: loads URLs side by side and reports them in the order they were given.
struct LoadCommand {
    var options: LoadOptions
    var console: Console
    var configuration = ImageLoader.Configuration()

    func run() async -> Int32 {
        let loader = makeLoader()
        let outcomes = await loadAll(with: loader)
        var isGood = true
        var reports: [LoadReport] = []
        var names = FileNames()
        for (text, outcome) in zip(options.texts, outcomes) {
            var report = LoadReport(text, outcome)
            if case .success(let loaded) = outcome, let directory = options.outputDirectory {
                report.save(loaded.bytes, as: names.name(for: text, loaded.response.image.format), in: directory)
            }
            if let error = report.error {
                isGood = false
                console.error("\(text): \(error)")
            } else if !options.printsJSON {
                console.print(report.line)
            }
            reports.append(report)
        }
        if let file = options.sheetFile { isGood = drawSheet(of: outcomes, to: file) && isGood }
        if options.printsJSON { console.print(LoadReport.json(reports)) }
        await loader.flush()
        return isGood ? 0 : 1
    }

    fileprivate struct Loaded {
        var response: ImageResponse
        /// The file as it came; empty unless it is to be saved.
        var bytes: Data
    }

    private func makeLoader() -> ImageLoader {
        var configuration = configuration
        let console = console
        configuration.onEvent = { event in
            if case .cacheFailed(let failure) = event { console.error("warning: \(failure)") }
        }
        return ImageLoader(configuration)
    }

    private func loadAll(with loader: ImageLoader) async -> [Result<Loaded, ImageLoaderError>] {
        await withTaskGroup(of: (Int, Result<Loaded, ImageLoaderError>).self) { group in
            for (index, text) in options.texts.enumerated() {
                group.addTask { (index, await load(text, with: loader)) }
            }
            var outcomes = [Result<Loaded, ImageLoaderError>](
                repeating: .failure(.cancelled), count: options.texts.count)
            for await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes
        }
    }

    private func load(_ text: String, with loader: ImageLoader) async -> Result<Loaded, ImageLoaderError> {
        do throws(ImageLoaderError) {
            let request = try ImageRequest(text)
            let response = try await loader.response(for: request)
            // The bytes are in the disk cache now.
            let bytes = options.outputDirectory == nil ? Data() : try await loader.data(for: request)
            return .success(Loaded(response: response, bytes: bytes))
        } catch {
            return .failure(error)
        }
    }

    private func drawSheet(of outcomes: [Result<Loaded, ImageLoaderError>], to file: String) -> Bool {
        let bitmaps = outcomes.compactMap { outcome in
            if case .success(let loaded) = outcome { loaded.response.image.bitmap } else { nil }
        }
        guard !bitmaps.isEmpty else {
            console.error("\(file): there is no picture to draw")
            return false
        }
        do {
            let png = try PNGEncoder().encode(ContactSheet(columns: min(8, bitmaps.count)).draw(bitmaps))
            try png.write(to: URL(fileURLWithPath: file))
            return true
        } catch {
            console.error("\(file): \(error.localizedDescription)")
            return false
        }
    }
}

extension LoadReport {
    fileprivate init(_ text: String, _ outcome: Result<LoadCommand.Loaded, ImageLoaderError>) {
        switch outcome {
        case .success(let loaded): self.init(text, loaded.response)
        case .failure(let error): self.init(text, error)
        }
    }
}
