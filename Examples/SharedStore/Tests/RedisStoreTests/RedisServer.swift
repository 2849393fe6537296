import Foundation

/// A Redis server of its own for a test, on a Unix socket and without files.
final class RedisServer: Sendable {
    struct Failure: Error {
        let reason: String
    }

    /// The server's program; nil if it isn't installed.
    static let program = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .flatMap { ["\($0)/redis-server", "\($0)/valkey-server"] }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    let socket: String
    private nonisolated(unsafe) let process: Process

    /// Starts the server. Returns when it accepts connections.
    init(in directory: URL) async throws {
        guard let program = Self.program else { throw Failure(reason: "redis-server isn't installed") }
        socket = directory.appending(path: "redis.sock").path
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = [
            "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", directory.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        try? FileManager.default.removeItem(atPath: socket)
        try process.run()
        self.process = process
        while !FileManager.default.fileExists(atPath: socket) {
            guard process.isRunning else { throw Failure(reason: "redis-server has ended") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    deinit { kill() }

    /// Ends the server without any chance to clean up.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Stops the server, which then accepts connections but doesn't answer, or lets it go on.
    func signal(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }
}
