import Foundation

/// An nginx on free ports of 127.0.0.1, which runs until its process is stopped or released.
struct NginxProcess {
    let ports: [Int]
    let process: ServerProcess

    /// Starts nginx and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - directory: Receives the configuration, the log and all other files.
    ///   - configuration: Returns the contents of the `http` block for the ports. Its paths are relative to the
    ///     directory.
    init(in directory: TemporaryDirectory, portCount: Int, configuration: ([Int]) -> String) throws {
        guard let nginx = ServerProcess.find("nginx") else {
            throw ServerProcess.Failure(description: "nginx is not installed")
        }
        let log = directory.file("nginx.log")
        // Another program may take the port between its selection and its use.
        for _ in 1...5 {
            let ports = try (0..<portCount).map { _ in try Sockets.freePort() }
            let text = Self.file(http: configuration(ports))
            try Data(text.utf8).write(to: directory.url.appending(path: "nginx.conf"))
            let command = [nginx, "-p", directory.path, "-c", "nginx.conf", "-e", "stderr"]
            let process = try ServerProcess(command, log: log, in: directory.path)
            if ports.allSatisfy({ Sockets.awaitListener($0, while: { process.isRunning }) }) {
                self.ports = ports
                self.process = process
                return
            }
            process.stop()
        }
        throw ServerProcess.Failure(description: try String(contentsOfFile: log, encoding: .utf8))
    }

    /// The configuration of a single process, which is both the master and its only worker.
    private static func file(http: String) -> String {
        """
        daemon off;
        master_process off;
        pid nginx.pid;
        error_log stderr warn;
        events { worker_connections 1024; }
        http {
        keepalive_requests 1000000;
        keepalive_timeout 300;
        client_max_body_size 0;
        client_body_temp_path body;
        proxy_temp_path proxy;
        fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi;
        scgi_temp_path scgi;
        \(http)
        }

        """
    }
}
