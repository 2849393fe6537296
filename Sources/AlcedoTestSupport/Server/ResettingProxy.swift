import Foundation

/// A port of 127.0.0.1 that forwards connections to other ports, one at a time, and resets a connection once its
/// client has sent a number of bytes.
///
/// The bytes are forwarded without being parsed, so the reset comes in the middle of whatever the client sends,
/// including TLS and HTTP/2.
package final class ResettingProxy: Sendable {
    /// The port number, assigned by the system.
    package let port: Int

    /// The writing end of a pipe. Closing it ends the thread.
    private let life: Int32

    /// Listens until the value is deallocated.
    ///
    /// - Parameters:
    ///   - origins: The ports of 127.0.0.1 to which connections are forwarded, each one to the next port and the others
    ///     to the last.
    ///   - byteLimit: The number of bytes read from a client before its connection is reset.
    package init(to origins: Int..., resettingAfter byteLimit: Int) throws {
        let (listener, port) = try Sockets.listen()
        let (end, life) = try Sockets.pipe()
        self.port = Int(port)
        self.life = life
        Thread.detachNewThread {
            var rest = origins[...]
            while Self.await([listener], end) {
                guard case .connection(let client) = Sockets.accept(listener) else { continue }
                let origin = rest.count > 1 ? rest.removeFirst() : rest.first
                if let server = origin.flatMap({ Sockets.connect(to: $0) }) {
                    Self.relay(client, server, byteLimit, end)
                    Sockets.close(server)
                }
                Sockets.reset(client)
            }
            Sockets.close(listener)
            Sockets.close(end)
        }
    }

    deinit { Sockets.close(life) }

    /// Forwards bytes until the client has sent enough, or one side has ended.
    private static func relay(_ client: Int32, _ server: Int32, _ byteLimit: Int, _ end: Int32) {
        var received = 0
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
            while received < byteLimit, Self.await([client, server], end) {
                for (source, target) in [(client, server), (server, client)] {
                    switch Sockets.receive(source, into: buffer) {
                    case .bytes(let count):
                        if source == client { received += count }
                        guard sendAll(UnsafeRawBufferPointer(buffer)[..<count], to: target, end) else { return }
                    case .wouldBlock: break
                    case .ended, .broken: return
                    }
                }
            }
        }
    }

    private static func sendAll(_ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32, _ end: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            switch Sockets.send(descriptor, UnsafeRawBufferPointer(rebasing: rest)) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .wouldBlock: guard Self.await([descriptor], end, events: POLLOUT) else { return false }
            case .ended, .broken: return false
            }
        }
        return true
    }

    /// Waits until one of `descriptors` is ready. Returns false if `end` was closed first.
    private static func await(_ descriptors: [Int32], _ end: Int32, events: some BinaryInteger = POLLIN) -> Bool {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(events), revents: 0) }
        entries.append(pollfd(fd: end, events: Int16(POLLIN), revents: 0))
        Sockets.wait(&entries, timeout: -1)
        return entries[descriptors.count].revents == 0
    }
}
