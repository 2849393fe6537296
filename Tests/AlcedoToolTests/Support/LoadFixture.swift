import Alcedo
import AlcedoTestSupport
import Foundation

@testable import AlcedoTool

/// `alcedo load` against a server of the test's own, with its cache in a directory of the test's own.
struct LoadFixture {
    let temporary: TemporaryDirectory
    let server: LoopbackServer
    let console = Console(capturing: ())
    var configuration = ImageLoader.Configuration()

    init(_ handler: @escaping LoopbackServer.Handler = { _ in .status(404) }) throws {
        temporary = try TemporaryDirectory()
        server = try LoopbackServer(handler: handler)
        configuration.disk = .init(directory: temporary.url.appendingPathComponent("cache"))
        // A response that the test holds is waited for, however slow the machine is.
        configuration.download.idleTimeout = .seconds(3_600)
    }

    /// One that serves a picture of its format for every path that ends like it, and 404 otherwise.
    static func ofPictures() throws -> LoadFixture {
        let (png, jpeg) = (try Pictures.png(), try Pictures.jpeg())
        return try LoadFixture { request in
            if request.path.hasSuffix(".png") { return .bytes(png, contentType: "image/png") }
            if request.path.hasSuffix(".jpg") { return .bytes(jpeg, contentType: "image/jpeg") }
            return .status(404)
        }
    }

    func url(_ path: String) -> String { server.url(path).absoluteString }

    func load(_ arguments: String...) async throws -> Int32 { try await load(arguments) }

    func load(_ arguments: [String]) async throws -> Int32 {
        try await LoadCommand(options: LoadOptions(arguments), console: console, configuration: configuration).run()
    }

    /// `alcedo prefetch` of a list with these lines.
    func prefetch(_ lines: [String], _ arguments: [String], on console: Console? = nil) async throws -> Int32 {
        let list = temporary.file("list")
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: list))
        return await PrefetchCommand(
            options: try PrefetchOptions([list] + arguments), console: console ?? self.console,
            configuration: configuration
        ).run()
    }

    var outputLines: [String] { console.output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { console.errors.split(separator: "\n").map(String.init) }
}
