package import Foundation

/// An HTTPS server on 127.0.0.1 that serves files with a certificate of a given kind.
///
/// It runs nginx if that is installed, and otherwise the server of `openssl`, which closes each connection after its
/// response.
package final class TLSServer: Sendable {
    private enum Program {
        case nginx(NginxServer)
        case openssl(ServerProcess, port: Int, TestCertificates, TemporaryDirectory)
    }

    private let program: Program

    /// Starts the server and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - files: The files that it serves, by name.
    ///   - usesNginx: Whether to use nginx rather than the server of `openssl`.
    ///   - demandsCertificate: Whether only clients with a certificate of the server's authority are served. If so, the
    ///     server is the one of `openssl`.
    ///   - version: An option of `openssl` that selects the version of TLS.
    package init(
        files: [String: Data], certificate kind: TestCertificates.Kind = .good,
        usesNginx: Bool = NginxServer.isInstalled, demandsCertificate: Bool = false, version: String? = nil
    ) throws {
        guard !usesNginx || demandsCertificate else {
            program = .nginx(try NginxServer(files: files, certificate: kind))
            return
        }
        guard let openssl = ServerProcess.find("openssl") else {
            throw ServerProcess.Failure(description: "openssl is not installed")
        }
        let certificates = try TestCertificates(kind)
        let directory = try TemporaryDirectory()
        for (name, bytes) in files { try bytes.write(to: directory.url.appending(path: name)) }
        let port = try Sockets.freePort()
        let demand = ["-Verify", "1", "-verify_return_error", "-CAfile", certificates.authority.path]
        let command =
            [
                openssl, "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificates.certificate,
                "-key", certificates.key, "-WWW", "-quiet",
            ] + (demandsCertificate ? demand : []) + (version.map { [$0] } ?? [])
        let log = directory.file("openssl.log")
        let process = try ServerProcess(command, log: log, in: directory.path)
        guard Sockets.awaitListener(port, while: { process.isRunning }) else {
            process.stop()
            throw ServerProcess.Failure(description: try String(contentsOfFile: log, encoding: .utf8))
        }
        program = .openssl(process, port: port, certificates, directory)
    }

    /// The authority that signed the server's certificate, in PEM.
    package var authority: URL {
        switch program {
        case .nginx(let server): server.authority
        case .openssl(_, _, let certificates, _): certificates.authority
        }
    }

    /// The certificates of the server of `openssl`; nil if it is nginx.
    package var certificates: TestCertificates? {
        if case .openssl(_, _, let certificates, _) = program { certificates } else { nil }
    }

    /// The URL of `path`, which begins with a slash.
    package func url(_ path: String) -> URL {
        switch program {
        case .nginx(let server): server.secureURL(path)
        case .openssl(_, let port, _, _): URL.loopback("https", port: port, path)
        }
    }

    /// Stops the server and waits until it has exited.
    package func stop() {
        switch program {
        case .nginx(let server): server.stop()
        case .openssl(let process, _, _, _): process.stop()
        }
    }
}
