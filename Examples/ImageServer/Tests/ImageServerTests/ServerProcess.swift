import Crypto
import Foundation

@testable import ImageService

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A response of the server.
struct ServerResponse {
    let status: Int
    let body: Data
    fileprivate let head: HTTPURLResponse

    subscript(field: String) -> String? { head.value(forHTTPHeaderField: field) }
}

/// The image server as a process, on its own port.
final class ServerProcess: Sendable {
    struct Failure: Error {
        let log: String
        var status: Int32?
    }

    static let key = "a key of at least 32 characters, for tests"
    let port: Int
    private nonisolated(unsafe) let process: Process

    /// Starts the server, and returns when it accepts connections.
    init(cache: URL, _ environment: [String: String] = [:]) async throws {
        let log = cache.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appending(path: "image-server")
        process.environment = environment.merging([
            "PORT": "0", "SIGNING_KEY": Self.key, "CACHE_DIRECTORY": cache.path, "TMPDIR": cache.path,
        ]) { given, _ in given }
        // The output goes to a file, because other processes would inherit a pipe and keep it open.
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        self.process = process
        while true {
            let isRunning = process.isRunning
            let text = try String(contentsOf: log, encoding: .utf8)
            if let match = text.firstMatch(of: /listening on 127\.0\.0\.1:(\d+)\n/), let port = Int(match.1) {
                self.port = port
                return
            }
            guard isRunning else { throw Failure(log: text, status: process.terminationStatus) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw Failure(log: path) }
        return url
    }

    func url(_ options: String, of source: URL) throws -> URL {
        try url(
            SignedPath.sign(
                options: options, source: source.absoluteString, key: SymmetricKey(data: Data(Self.key.utf8))))
    }

    /// Returns the server's response, bypassing the client's cache.
    func get(_ url: URL, _ fields: [String: String] = [:]) async throws -> ServerResponse {
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await URLSession(configuration: .ephemeral).data(for: request)
        guard let head = response as? HTTPURLResponse else { throw Failure(log: "no response") }
        return ServerResponse(status: head.statusCode, body: body, head: head)
    }

    /// Asks the server to terminate.
    func terminate() { process.terminate() }

    /// Waits until the server has exited, and returns its exit status.
    func end() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
