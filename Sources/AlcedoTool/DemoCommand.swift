import Alcedo
import AlcedoTestSupport
import Foundation

/// `alcedo demo`: the main job against a server of its own, from the network, from memory, from disk, and cancelled.
struct DemoCommand {
    let console: Console
    var pictures = DemoPictures()
    var directory = DemoDirectory()

    func run() async -> Int32 {
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
            console.error("alcedo demo: \(ErrorText.of(error))")
            return 1
        }
    }

    private func show() async throws {
        let pictures = try await pictures.make()
        let bytes = pictures.reduce(0) { $0 + $1.bytes.count }
        let server = try DemoServer(pictures)
        defer { server.stop() }
        console.print("\(pictures.count) pictures, \(ByteText.of(bytes)), served at \(server.base)")

        let display = ProgressDisplay(console: console)
        let loader = makeLoader(display)
        var table = DemoTable()
        let network = try await load(server.urls, with: loader)
        display.clear()
        table.add(network, requests: server.takeRequestCount())
        table.add(try await load(server.urls, with: loader), requests: server.takeRequestCount())
        await loader.flush()
        let restarted = makeLoader(display)
        table.add(try await load(server.urls, with: restarted), requests: server.takeRequestCount())

        try await cancel(server, restarted, display)
        console.print("")
        for line in table.lines { console.print(line) }

        let drawn = try ContactSheet().draw(network.map(\.image.bitmap))
        try PNGEncoder().encode(drawn).write(to: directory.sheet)
        console.print("\nContact sheet: \(directory.sheet.path)")
    }

    private func makeLoader(_ display: ProgressDisplay) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: directory.cache)
        let warnings = CacheWarnings(console: console)
        configuration.onEvent = { event in
            warnings.receive(event)
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
        try await within(.seconds(5), "the slow load did not begin") { try await server.untilSlowIsUnderWay() }
        let start = ContinuousClock.now
        load.cancel()
        let outcome = await load.result
        let back = ContinuousClock.now - start
        try await within(.seconds(5), "the server did not see the cancelled connection close") {
            try await server.untilSlowIsAbandoned()
        }
        let seen = ContinuousClock.now - start
        display.clear()
        guard case .failure(ImageLoaderError.cancelled) = outcome else {
            throw DemoFailure(what: "the cancelled load did not end as cancelled")
        }
        console.print("A slow one, cancelled in mid-body: its caller was back after \(Milliseconds.text(back)),")
        console.print("and the server saw the connection close after \(Milliseconds.text(seen)).")
    }

    /// A demo of a bug ends and tells of it, rather than wait for what does not come.
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
            console.error("warning: \(directory.cache.path) is left: \(ErrorText.of(error))")
        }
    }
}

/// The demo did not do what it is there to show.
struct DemoFailure: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}
