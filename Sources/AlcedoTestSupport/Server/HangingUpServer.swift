import Foundation

/// A port of 127.0.0.1 that accepts every connection, and ends it as soon as the client has sent something.
package final class HangingUpServer: Sendable {
    /// The way a connection ends.
    package enum Manner: Sendable, CaseIterable { case close, reset }

    /// The port number, assigned by the system.
    package let port: Int

    /// The writing end of a pipe. Closing it ends the thread.
    private let life: Int32

    /// Listens until the value is deallocated.
    package init(_ manner: Manner) throws {
        let (listener, port) = try Sockets.listen()
        let (end, life) = try Sockets.pipe()
        self.port = Int(port)
        self.life = life
        Thread.detachNewThread {
            var bytes: [UInt8] = Array(repeating: 0, count: 4096)
            while Self.awaitInput(listener, end) {
                guard case .connection(let connection) = Sockets.accept(listener) else { continue }
                if Self.awaitInput(connection, end) {
                    _ = bytes.withUnsafeMutableBytes { Sockets.receive(connection, into: $0) }
                }
                if manner == .reset { Sockets.reset(connection) } else { Sockets.close(connection) }
            }
            Sockets.close(listener)
            Sockets.close(end)
        }
    }

    deinit { Sockets.close(life) }

    /// Waits for input. Returns false if `end` was closed first.
    private static func awaitInput(_ descriptor: Int32, _ end: Int32) -> Bool {
        var entries = [descriptor, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        Sockets.wait(&entries, timeout: -1)
        return entries[1].revents == 0
    }
}
