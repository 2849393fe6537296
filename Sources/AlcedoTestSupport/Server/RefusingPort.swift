package import Foundation

/// A port of 127.0.0.1 that refuses every connection for as long as this value lives: it is taken, and nobody listens.
///
/// That of a server which has stopped may be another server's the next moment.
package final class RefusingPort: Sendable {
    /// The number that the system chose.
    package let number: Int

    private let descriptor: Int32

    /// Takes a port.
    package init() throws {
        let (descriptor, port) = try Sockets.bound()
        self.descriptor = descriptor
        number = Int(port)
    }

    deinit { Sockets.close(descriptor) }

    /// The URL of `path`, which begins with a slash.
    package func url(_ path: String) -> URL { URL.loopback("http", port: number, path) }
}
