import Alcedo
import Foundation
import Synchronization

/// `alcedo probe`: reports the image at each URL, its source and its freshness.
struct ProbeCommand {
    var options: ProbeOptions
    var console: Console
    var configuration = ImageLoader.Configuration.ofCommands

    func run() async -> Int32 {
        var command = self
        options.network.apply(to: &command.configuration)
        options.decoding.apply(to: &command.configuration)
        options.cache.apply(to: &command.configuration)
        guard options.cache.isThere("probe", console) else { return 1 }
        let (warnings, asked) = (CacheWarnings(console: console), AskedURLs())
        command.configuration.tell({ warnings.receive($0) }, { asked.receive($0) })
        return await command.run(Main.makeLoader(command.configuration), asked)
    }

    private func run(_ loader: ImageLoader, _ asked: AskedURLs) async -> Int32 {
        var isGood = true
        var reports: [ProbeReport] = []
        await InOrder.forEach(options.texts, window: options.network.jobs ?? 32) {
            await probe($0, with: loader, asked)
        } receive: { report in
            // The user has ended the program and needs no output.
            if Task.isCancelled { return }
            if options.printsJSON {
                reports.append(report)
            } else if !options.isQuiet {
                for line in report.lines { console.print(line) }
            }
            guard let error = report.error else { return }
            console.error("\(report.url): \(error)")
            isGood = false
        }
        if options.printsJSON, !Task.isCancelled { isGood = printJSON(reports) && isGood }
        await loader.flushEvenIfCancelled()
        return isGood ? 0 : 1
    }

    private func probe(_ text: String, with loader: ImageLoader, _ asked: AskedURLs) async -> ProbeReport {
        do throws(ImageLoaderError) {
            let request = try Operand.request(text)
            let response = try await loader.dataResponse(for: request)
            var report = ProbeReport(
                text, response, header(of: response.data), isConfirmed: asked.contain(request.url),
                at: configuration.timeOfDay())
            report.metadata = metadata(of: response.data)
            if report.error == nil { report.add(await thumbHash(of: response.data, id: text, with: loader)) }
            return report
        } catch {
            return ProbeReport(text, error)
        }
    }

    private func thumbHash(
        of data: Data, id: String, with loader: ImageLoader
    ) async -> Result<Data, ImageLoaderError> {
        var request = ImageRequest(data: data, id: id)
        // A ThumbHash has no details, so decoders may skip most of them.
        request.targetSize = PixelSize(width: 100, height: 100)
        request.frames = .first
        // Like other implementations, ignore the color profile.
        request.convertsToSRGB = true
        (request.readPolicy, request.writePolicy) = (.reload, .nothing)
        do throws(ImageLoaderError) {
            return .success(try await loader.image(for: request).thumbHash())
        } catch {
            return .failure(error)
        }
    }

    private func header(of data: Data) -> Result<ImageHeader, ImageLoaderError> {
        let settings = configuration.decode
        return Result { () throws(ImageLoaderError) in try settings.decoders.header(of: data, limits: settings.limits) }
    }

    /// The metadata; nil if there is none or the bytes aren't an image, which ``header(of:)`` reports.
    private func metadata(of data: Data) -> ProbeMetadata? {
        let limits = configuration.decode.limits
        let metadata = Result { () throws(ImageLoaderError) in try ImageMetadata(of: data, limits: limits) }
        return if case .success(let metadata) = metadata { ProbeMetadata(metadata) } else { nil }
    }

    private func printJSON(_ reports: [ProbeReport]) -> Bool {
        do {
            try console.print(json: reports)
            return true
        } catch {
            console.error("alcedo probe: \(error)")
            return false
        }
    }
}

/// The URLs that were requested from their servers. A response alone doesn't show whether its server has confirmed it.
private final class AskedURLs: Sendable {
    private let urls = Mutex<Set<URL>>([])

    func receive(_ event: ToolEvent) {
        if case .downloadStarted(let url) = event { urls.withLock { _ = $0.insert(url) } }
    }

    func contain(_ url: URL?) -> Bool { url.map { url in urls.withLock { $0.contains(url) } } ?? false }
}
