package import Foundation

/// A port of 127.0.0.1 that refuses every connection while this value lives, because it is bound but isn't listening.
///
/// The port of a stopped server isn't suitable, because another server may take it at any time.
package final class RefusingPort: Sendable {
    /// The port number, assigned by the system.
    package let number: Int

    private let descriptor: Int32

    /// Binds a port.
    package init() throws {
        let (descriptor, port) = try Sockets.bound()
        self.descriptor = descriptor
        number = Int(port)
    }

    deinit { Sockets.close(descriptor) }

    /// The URL of `path`, which begins with a slash.
    package func url(_ path: String) -> URL { URL.loopback("http", port: number, path) }
}
