import AlcedoTestSupport
import Foundation
import Testing

/// An nginx that serves files, which caches may keep for 10 minutes.
final class Origin: Sendable {
    let directory: TemporaryDirectory
    let port: Int
    private nonisolated(unsafe) let process = Process()

    init(_ files: [String: Data]) throws {
        directory = try TemporaryDirectory()
        // This port is free at the moment.
        port = try LoopbackServer().port
        for (name, bytes) in files { try bytes.write(to: directory.url.appending(path: name)) }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path temp;" }
        let configuration = """
            daemon off; master_process off; pid nginx.pid; error_log stderr; events {}
            http {
                \(temporary.joined(separator: " ")) access_log off;
                types { image/png png; text/plain txt; }
                server {
                    listen 127.0.0.1:\(port); root .;
                    location / { add_header Cache-Control "max-age=600, stale-if-error=600"; }
                    location = /plain.png {}
                    location ~ ^/stale { add_header Cache-Control "max-age=0, stale-if-error=600"; }
                    location ~ ^/private { add_header Cache-Control "private, max-age=600"; }
                }
            }
            """
        try configuration.write(
            to: directory.url.appending(path: "nginx.conf"), atomically: false, encoding: .utf8)
        process.executableURL = URL(filePath: "/usr/sbin/nginx")
        process.arguments = ["-p", directory.url.path, "-c", "nginx.conf", "-e", "stderr"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        while (try? Data(contentsOf: directory.url.appending(path: "nginx.pid"))) == nil, process.isRunning {
            usleep(10_000)
        }
    }

    deinit { stop() }

    var origin: String { "http://127.0.0.1:\(port)" }

    func url(_ name: String) throws -> URL { try #require(URL(string: "\(origin)/\(name)")) }

    func stop() {
        // SIGKILL is used because children of Dispatch's threads inherit a signal mask that blocks SIGTERM.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
