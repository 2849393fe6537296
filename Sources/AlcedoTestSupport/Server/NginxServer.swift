package import Foundation

/// An nginx that serves files on 127.0.0.1: plain HTTP/1.1, and HTTP/1.1 and HTTP/2 with a certificate.
///
/// Its connections are persistent. It writes only to its own directory, and ends with ``stop()`` or when the value is
/// deallocated.
package final class NginxServer: Sendable {
    /// Whether nginx is installed on this machine.
    package static var isInstalled: Bool { ServerProcess.find("nginx") != nil }

    /// The port for http.
    package let port: Int
    /// The port for https.
    package let securePort: Int
    /// The authority that signed the server's certificate, in PEM.
    package var authority: URL { certificates.authority }

    private let directory: TemporaryDirectory
    private let certificates: TestCertificates
    private let process: ServerProcess

    /// Starts the server and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - files: The files that it serves, by path: "a/b.png".
    ///   - origin: The port of 127.0.0.1 to which it forwards requests for paths below "/proxied/".
    package init(
        files: [String: Data], certificate kind: TestCertificates.Kind = .good, proxying origin: Int? = nil
    ) throws {
        guard let nginx = ServerProcess.find("nginx") else {
            throw ServerProcess.Failure(description: "nginx is not installed")
        }
        let directory = try TemporaryDirectory()
        let certificates = try TestCertificates(kind)
        try Self.write(files, to: directory.url.appending(path: "files"))
        // Another program may take the port between its selection and its use.
        var started: (ports: [Int], process: ServerProcess)?
        for attempt in 1...5 where started == nil {
            let ports = [try Sockets.freePort(), try Sockets.freePort()]
            let text = Self.configuration(ports: ports, certificates, origin)
            try Data(text.utf8).write(to: directory.url.appending(path: "nginx.conf"))
            let log = directory.file("nginx.log")
            let command = [nginx, "-p", directory.path, "-c", "nginx.conf", "-e", "stderr"]
            let process = try ServerProcess(command, log: log, in: directory.path)
            if ports.allSatisfy({ Sockets.awaitListener($0, while: { process.isRunning }) }) {
                started = (ports, process)
            } else if attempt == 5 {
                process.stop()
                throw ServerProcess.Failure(description: try String(contentsOfFile: log, encoding: .utf8))
            }
        }
        guard let started else { throw ServerProcess.Failure(description: "nginx did not start") }
        (port, securePort) = (started.ports[0], started.ports[1])
        process = started.process
        self.directory = directory
        self.certificates = certificates
    }

    deinit { stop() }

    /// The http URL of `path`, which begins with a slash.
    package func url(_ path: String) -> URL { URL.loopback("http", port: port, path) }

    /// The https URL of `path`, which begins with a slash.
    package func secureURL(_ path: String) -> URL { URL.loopback("https", port: securePort, path) }

    /// Stops the server and waits until it has exited.
    package func stop() { process.stop() }

    private static func write(_ files: [String: Data], to root: URL) throws {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for (path, bytes) in files {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: file)
        }
    }

    /// The configuration of a single process, which is both the master and its only worker.
    private static func configuration(ports: [Int], _ certificates: TestCertificates, _ origin: Int?) -> String {
        let proxied = origin.map {
            "location /proxied/ { proxy_pass http://127.0.0.1:\($0); proxy_buffering off; }"
        }
        return """
            daemon off;
            master_process off;
            pid nginx.pid;
            error_log stderr warn;
            events { worker_connections 1024; }
            http {
                access_log off;
                keepalive_requests 1000000;
                keepalive_timeout 300;
                client_max_body_size 0;
                client_body_temp_path body;
                proxy_temp_path proxy;
                fastcgi_temp_path fastcgi;
                uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                server {
                    listen 127.0.0.1:\(ports[0]);
                    listen 127.0.0.1:\(ports[1]) ssl http2;
                    ssl_certificate \(certificates.certificate);
                    ssl_certificate_key \(certificates.key);
                    root files;
                    \(proxied ?? "")
                }
            }

            """
    }
}
