import BlockingExecutor
import Foundation

/// A connection that sends one command after the other. It connects when it is needed, and again after a failure.
actor RedisConnection {
    private nonisolated let executor = BlockingExecutor("redis")
    private let address: RedisStore.Address
    private var socket: RedisSocket?
    private var parser = RedisReplyParser()

    init(_ address: RedisStore.Address) { self.address = address }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Sends a command, and returns the server's reply, which isn't an error.
    ///
    /// - Parameter deadline: Includes the time that the command waits for earlier ones.
    func send(_ command: [Data], by deadline: ContinuousClock.Instant) throws(RedisError) -> RedisReply {
        let reply: RedisReply
        do throws(RedisError) {
            let wasConnected = socket != nil
            do throws(RedisError) {
                reply = try exchange(command, by: deadline)
            } catch {
                guard wasConnected, error != .timeout else { throw error }
                // The server may have been started again. All commands of a store may be sent twice.
                disconnect()
                reply = try exchange(command, by: deadline)
            }
        } catch {
            disconnect()
            throw error
        }
        if case .error(let text) = reply { throw .refused(text) }
        return reply
    }

    /// A reply that comes late must not be taken for that of the next command.
    private func disconnect() { (socket, parser) = (nil, RedisReplyParser()) }

    private func exchange(_ command: [Data], by deadline: ContinuousClock.Instant) throws(RedisError) -> RedisReply {
        guard ContinuousClock.now < deadline else { throw .timeout }
        let socket: RedisSocket
        if let connected = self.socket {
            socket = connected
        } else {
            socket = try RedisSocket(address, by: deadline)
            self.socket = socket
        }
        var bytes = Data("*\(command.count)\r\n".utf8)
        for part in command {
            bytes += Data("$\(part.count)\r\n".utf8)
            bytes += part
            bytes += Data("\r\n".utf8)
        }
        try socket.write(bytes, by: deadline)
        while true {
            if let reply = try parser.next() { return reply }
            parser.append(try socket.read(by: deadline))
        }
    }
}
