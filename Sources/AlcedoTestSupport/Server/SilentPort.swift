package import Foundation

/// A port of 127.0.0.1 whose connections are established by the system and never answered, while this value lives.
///
/// A client's TLS handshake never completes.
package final class SilentPort: Sendable {
    /// The port number, assigned by the system.
    package let number: Int

    private let descriptor: Int32

    /// Listens without accepting anything.
    package init() throws {
        let (descriptor, port) = try Sockets.listen()
        self.descriptor = descriptor
        number = Int(port)
    }

    deinit { Sockets.close(descriptor) }

    /// Whether a client has connected.
    package var isConnected: Bool {
        var entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        Sockets.wait(&entries, timeout: 0)
        return entries[0].revents != 0
    }

    /// The URL of `path` over TLS; the path begins with a slash.
    package func url(_ path: String) -> URL { URL.loopback("https", port: number, path) }
}
