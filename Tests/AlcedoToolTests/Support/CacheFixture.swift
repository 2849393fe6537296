import Alcedo
import AlcedoTestSupport
import Foundation

@testable import AlcedoTool

/// `alcedo cache` on a directory of the test's own.
struct CacheFixture {
    let temporary: TemporaryDirectory
    let console = Console(capturing: ())
    var now = Date()
    var path: String { temporary.file("cache") }

    init() throws { temporary = try TemporaryDirectory() }

    /// Stores a picture for each request, in this order, and ends the loader.
    func fill(_ requests: [ImageRequest], _ bytes: Data? = nil) async throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: URL(fileURLWithPath: path))
        let loader = ImageLoader(configuration)
        let picture = try bytes ?? Pictures.png()
        for request in requests { try await loader.store(picture, for: request, in: .disk) }
        await loader.flush()
        // By the thread that cleans up, behind what it has to delete yet.
        _ = await loader.diskCache?.entries()
    }

    func fill(_ urls: String...) async throws { try await fill(urls.map { try ImageRequest($0) }) }

    /// Puts an entry there whose file says what no URL would.
    func plant(source: String, storedAt: Int64 = 0, expires: Int64? = nil) throws {
        let key = StoredKey(source)
        var metadata = EntryMetadata(source: source)
        metadata.storedAt = storedAt
        let body = try Pictures.png()
        guard let tail = EntryFile.tail(of: body, key: key, metadata: metadata.encoded, expires: expires) else {
            return
        }
        try FileManager.default.createDirectory(atPath: path + "/entries", withIntermediateDirectories: true)
        try (body + tail).write(to: URL(fileURLWithPath: path + "/entries/" + key.name.text))
    }

    func run(_ arguments: String...) async throws -> Int32 {
        try await run(Array(arguments))
    }

    /// - Parameter answer: Answers questions; nil as without a terminal.
    func run(_ arguments: [String], answer: (@Sendable () async -> String?)? = nil) async throws -> Int32 {
        let options = try CacheOptions(arguments + ["--cache", path])
        return await CacheCommand(options: options, console: console, now: now, answer: answer).run()
    }

    /// What a command printed with `--json`, whatever its exit code.
    func json(_ arguments: String...) async throws -> Any { try await json(arguments) }

    func json(_ arguments: [String]) async throws -> Any {
        let before = console.output.count
        _ = try await run(arguments + ["--json"])
        return try JSONSerialization.jsonObject(with: Data(console.output.dropFirst(before).utf8))
    }

    /// The digests of the files that are there.
    func entries() throws -> [String] { try temporary.names(in: "cache/entries") }

    /// Flips a bit of an entry's bytes.
    func damage(_ digest: String) throws {
        let file = URL(fileURLWithPath: path + "/entries/" + digest)
        var bytes = try Data(contentsOf: file)
        bytes[20] ^= 1
        try bytes.write(to: file)
    }

    var outputLines: [String] { console.output.split(separator: "\n").map(String.init) }
    var errorLines: [String] { console.errors.split(separator: "\n").map(String.init) }
}
