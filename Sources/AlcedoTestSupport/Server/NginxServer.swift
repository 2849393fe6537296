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
        let directory = try TemporaryDirectory()
        let certificates = try TestCertificates(kind)
        try Self.write(files, to: directory.url.appending(path: "files"))
        let started = try NginxProcess(in: directory, portCount: 2) { ports in
            Self.configuration(ports: ports, certificates, origin)
        }
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

    private static func configuration(ports: [Int], _ certificates: TestCertificates, _ origin: Int?) -> String {
        let proxied = origin.map {
            "location /proxied/ { proxy_pass http://127.0.0.1:\($0); proxy_buffering off; }"
        }
        return """
            access_log off;
            server {
                listen 127.0.0.1:\(ports[0]);
                listen 127.0.0.1:\(ports[1]) ssl http2;
                ssl_certificate \(certificates.certificate);
                ssl_certificate_key \(certificates.key);
                root files;
                \(proxied ?? "")
            }
            """
    }
}
