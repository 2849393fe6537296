import Alcedo
import AlcedoTestSupport
import Foundation

/// `alcedo demo`: loads from a built-in server over each transport, from memory and from disk, and cancels a load.
struct DemoCommand {
    let console: Console
    var timeline: TimelineFile?
    var pictures = DemoPictures()
    var directory = DemoDirectory()

    func run() async -> Int32 {
        guard timeline?.file.mayBeWritten(console) ?? true else { return 1 }
        defer { removeCache() }
        do {
            try directory.prepare()
        } catch {
            console.error("alcedo demo: \(directory.url.path): \(ErrorText.of(error))")
            return 1
        }
        do {
            try await show()
            return 0
        } catch {
            // The user may have ended the program.
            if !Task.isCancelled { console.error("alcedo demo: \(ErrorText.of(error))") }
            return 1
        }
    }

    private func show() async throws {
        let pictures = try await pictures.make()
        let bytes = pictures.reduce(0) { $0 + $1.bytes.count }
        let server = try DemoServer(pictures)
        defer { server.stop() }
        console.print("\(pictures.count) images, \(ByteText.of(bytes)), served at \(server.base)")

        var table = DemoTable()
        var drawn: [DecodedImage] = []
        for (index, transport) in DemoTransport.all().enumerated() {
            console.print("\nOver \(transport.name):")
            let display = ProgressDisplay(console: console)
            let recorder = LoadRecorder()
            let loader = makeLoader(display, transport, recorder)
            let network = try await display.during { await loadAll(server.urls, with: loader) }.get()
            table.add(network, over: transport.name, requests: server.takeRequestCount())
            if index == 0 {
                drawn = network.map(\.image)
                if let timeline, await !timeline.write(recorder, on: console, self.pictures.threads) {
                    throw DemoFailure(what: "the timeline was not written")
                }
                try await loadAgain(server, loader, makeLoader(nil, transport), &table)
            }
            try await cancel(server, loader, count: index + 1)
            // The cancelled request must not be counted in the next pass.
            _ = server.takeRequestCount()
        }
        console.print("")
        for line in table.lines { console.print(line) }
        let sheet = OutputFile(path: directory.sheet.path, overwrites: true)
        let png = try await self.pictures.draw { [drawn] in
            let sheet = ContactSheet()
            return try PNGEncoder().encode(sheet.draw(drawn.map(sheet.thumbnail)))
        }
        guard await self.pictures.threads.run({ sheet.write(png, on: console) }) else {
            throw DemoFailure(what: "the contact sheet was not written")
        }
        console.print("\nContact sheet: \(directory.sheet.path)")
    }

    /// Loads the images from memory, and from disk with a new loader. No transport is involved.
    private func loadAgain(
        _ server: DemoServer, _ loader: ImageLoader, _ restarted: ImageLoader, _ table: inout DemoTable
    ) async throws {
        table.add(try await load(server.urls, with: loader), requests: server.takeRequestCount())
        await loader.flush()
        table.add(try await load(server.urls, with: restarted), requests: server.takeRequestCount())
    }

    private func makeLoader(
        _ display: ProgressDisplay?, _ transport: DemoTransport, _ recorder: LoadRecorder? = nil
    ) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.dataLoader = transport.dataLoader
        configuration.disk = .init(directory: directory.cache.appendingPathComponent(transport.name))
        let warnings = CacheWarnings(console: console)
        configuration.tell({ warnings.receive($0) }, { display?.receive($0) }, { printEnd(of: $0) })
        if let recorder { configuration.eventSinks.append(recorder) }
        return Main.makeLoader(configuration)
    }

    /// Prints a line for each download that ended, unless bars are shown. Both are progress, and so go to stderr.
    func printEnd(of event: ToolEvent) {
        // The user knows about a cancellation, and its message might appear in the middle of other output.
        guard !console.showsBars, case .downloadEnded(let url, let bytes, let error) = event, error != .cancelled
        else {
            return
        }
        let name = ShownText.of(url: url.lastPathComponent)
        console.error("  \(name)  \(error.map { ErrorText.of($0) } ?? ByteText.of(bytes))")
    }

    private func loadAll(_ urls: [URL], with loader: ImageLoader) async -> Result<[ImageResponse], any Error> {
        do {
            return .success(try await load(urls, with: loader))
        } catch {
            return .failure(error)
        }
    }

    /// Loads all URLs concurrently, and returns the responses in order.
    private func load(_ urls: [URL], with loader: ImageLoader) async throws -> [ImageResponse] {
        try await withThrowingTaskGroup(of: (Int, ImageResponse).self) { group in
            for (index, url) in urls.enumerated() {
                group.addTask { (index, try await loader.response(for: ImageRequest(url: url))) }
            }
            var responses: [(Int, ImageResponse)] = []
            for try await response in group { responses.append(response) }
            return responses.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Cancels a load in the middle of the body and waits until the server sees its connection close.
    ///
    /// - Parameter count: The number of loads that have been cancelled by then.
    private func cancel(
        _ server: DemoServer, _ loader: ImageLoader, count: Int
    ) async throws {
        let load = Task { try await loader.image(for: server.slowURL) }
        try await within(.seconds(30), "the slow load did not begin") { try await server.untilSlowIsUnderWay() }
        let start = ContinuousClock.now
        load.cancel()
        let outcome = await load.result
        let back = ContinuousClock.now - start
        try await within(.seconds(30), "the server did not see the cancelled connection close") {
            try await server.untilSlowIsAbandoned(count)
        }
        let seen = ContinuousClock.now - start
        guard case .failure(ImageLoaderError.cancelled) = outcome else {
            throw DemoFailure(what: "the cancelled load did not end as cancelled")
        }
        console.print("A slow load, cancelled halfway: it ended after \(Milliseconds.text(back)),")
        console.print("and the server saw the connection close after \(Milliseconds.text(seen)).")
    }

    /// Runs `work` with a time limit. If there is a bug, the demo ends and reports it instead of waiting forever.
    private func within(
        _ limit: Duration, _ complaint: String, _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw DemoFailure(what: complaint)
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private func removeCache() {
        do {
            try directory.removeCache()
        } catch {
            console.error("warning: \(directory.cache.path) couldn't be removed: \(ErrorText.of(error))")
        }
    }
}

/// The demo didn't behave as expected.
struct DemoFailure: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}
