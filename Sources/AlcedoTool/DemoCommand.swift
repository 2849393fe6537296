import Alcedo
import AlcedoTestSupport
import Foundation

/// `alcedo demo`: the main job against a server of its own, from the network, from memory, from disk, and cancelled.
struct DemoCommand {
    let console: Console

    func run() async -> Int32 {
        do {
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent("alcedo-demo")
            let cache = directory.appendingPathComponent("cache-\(getpid())")
            defer { remove(cache) }
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try await show(directory: directory, cache: cache)
            return 0
        } catch {
            console.error("alcedo demo: \(error)")
            return 1
        }
    }

    private func show(directory: URL, cache: URL) async throws {
        let pictures = try await DemoPictures.make()
        let bytes = pictures.reduce(0) { $0 + $1.bytes.count }
        let server = try DemoServer(pictures)
        defer { server.stop() }
        console.print("\(pictures.count) pictures, \(ByteText.of(bytes)), served at \(server.base)")

        let display = ProgressDisplay(console: console)
        let loader = makeLoader(cache: cache, display)
        var table = DemoTable()
        let network = try await load(server.urls, with: loader)
        display.clear()
        table.add(network, requests: server.takeRequestCount())
        table.add(try await load(server.urls, with: loader), requests: server.takeRequestCount())
        await loader.flush()
        let restarted = makeLoader(cache: cache, display)
        table.add(try await load(server.urls, with: restarted), requests: server.takeRequestCount())

        try await cancel(server, restarted, display)
        console.print("")
        for line in table.lines { console.print(line) }

        let sheet = directory.appendingPathComponent("contact-sheet.png")
        let drawn = try ContactSheet().draw(network.map(\.image.bitmap))
        try PNGEncoder().encode(drawn).write(to: sheet)
        console.print("\nContact sheet: \(sheet.path)")
    }

    private func makeLoader(cache: URL, _ display: ProgressDisplay) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: cache)
        let console = console
        configuration.onEvent = { event in
            if case .cacheFailed(let failure) = event { console.error("warning: \(failure)") }
            display.receive(event)
        }
        return ImageLoader(configuration)
    }

    /// Loads all at once; the responses in order.
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

    /// Cancels a load in mid-body and waits for the server to see its connection close.
    private func cancel(
        _ server: DemoServer, _ loader: ImageLoader, _ display: ProgressDisplay
    ) async throws {
        let load = Task { try await loader.image(for: server.slowURL) }
        try await server.untilSlowIsUnderWay()
        let start = ContinuousClock.now
        load.cancel()
        let outcome = await load.result
        let back = ContinuousClock.now - start
        try await server.untilSlowIsAbandoned()
        let seen = ContinuousClock.now - start
        display.clear()
        guard case .failure(ImageLoaderError.cancelled) = outcome else {
            throw DemoFailure(what: "the cancelled load did not end as cancelled")
        }
        console.print("A slow one, cancelled in mid-body: its caller was back after \(Milliseconds.text(back)),")
        console.print("and the server saw the connection close after \(Milliseconds.text(seen)).")
    }

    private func remove(_ directory: URL) {
        guard FileManager.default.fileExists(atPath: directory.path) else { return }
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            console.error("warning: \(directory.path) is left: \(error.localizedDescription)")
        }
    }
}

/// The demo did not do what it is there to show.
struct DemoFailure: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}
