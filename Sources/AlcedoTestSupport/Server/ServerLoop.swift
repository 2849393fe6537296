import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The server's thread: one `poll` loop that serves every connection.
///
/// It is created and destroyed on its own thread and owns every descriptor except the writing end of the wake pipe.
final class ServerLoop {
    private let core: ServerCore
    private let listener: Int32
    private let wake: Int32
    private var connections: [Int: ServerConnection] = [:]
    private var acceptedCount = 0
    /// Whether the process is out of descriptors. Nothing is accepted until one is released.
    private var isExhausted = false
    private var entries: [pollfd] = []
    private var entryIDs: [Int] = []

    private static let bufferSize = 64 << 10
    private static let acceptQuota = 256
    /// The delay in milliseconds between attempts to accept while out of descriptors, because another part of the
    /// process may have released one.
    private static let retryInterval: Int32 = 20

    init(core: ServerCore, listener: Int32, wake: Int32) {
        self.core = core
        self.listener = listener
        self.wake = wake
    }

    /// Serves until the core is stopped, then closes everything.
    func run() {
        withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 16) { buffer in
            while let commands = core.takeCommands() {
                let now = ContinuousClock.now
                for command in commands { perform(command, now) }
                goOn(now)
                Sockets.wait(&entries, timeout: prepareEntries(now))
                handleEntries(buffer)
            }
        }
        for connection in connections.values { connection.finish(.byServer) }
        connections = [:]
        Sockets.close(listener)
        // The writing end is closed first, because writing to a pipe without a reader would raise SIGPIPE.
        core.retire { Sockets.close($0) }
        Sockets.close(wake)
    }

    // MARK: Commands and timers

    private func perform(_ command: ServerCore.Command, _ now: ContinuousClock.Instant) {
        switch command {
        case .perform(let id, let exchange, let action):
            guard let connection = connections[id] else { return }
            settle(connection, connection.perform(action, exchange: exchange, now: now))
        case .release(let path):
            for connection in Array(connections.values) {
                settle(connection, connection.release(path: path, now: now))
            }
        }
    }

    private func goOn(_ now: ContinuousClock.Instant) {
        let due = connections.values.filter { connection in connection.wakeTime.map { $0 <= now } ?? false }
        for connection in due { settle(connection, connection.pump(now)) }
    }

    private func settle(_ connection: ServerConnection, _ outcome: ServerConnection.Outcome) {
        guard case .ended(let end) = outcome else { return }
        connections[connection.id] = nil
        isExhausted = false
        connection.finish(end)
    }

    // MARK: Polling

    /// Lists the descriptors to poll. Returns the timeout in milliseconds.
    private func prepareEntries(_ now: ContinuousClock.Instant) -> Int32 {
        entries.removeAll(keepingCapacity: true)
        entryIDs.removeAll(keepingCapacity: true)
        entries.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0))
        entries.append(pollfd(fd: listener, events: isExhausted ? 0 : Int16(POLLIN), revents: 0))
        var wakeTime: ContinuousClock.Instant?
        for (id, connection) in connections {
            var events: Int16 = 0
            if connection.wantsInput { events |= Int16(POLLIN) }
            if connection.wantsOutput { events |= Int16(POLLOUT) }
            entries.append(pollfd(fd: connection.descriptor, events: events, revents: 0))
            entryIDs.append(id)
            if let time = connection.wakeTime { wakeTime = min(wakeTime ?? time, time) }
        }
        let retry = isExhausted ? Self.retryInterval : -1
        isExhausted = false
        guard let wakeTime else { return retry }
        let timeout = Self.milliseconds(now.duration(to: wakeTime))
        return retry < 0 ? timeout : min(retry, timeout)
    }

    /// The duration, rounded up so that it has passed when the wait ends.
    static func milliseconds(_ duration: Duration) -> Int32 {
        guard duration > .zero else { return 0 }
        guard duration < .seconds(1000) else { return 1_000_000 }
        let (seconds, attoseconds) = duration.components
        return Int32(seconds) * 1000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    private func handleEntries(_ buffer: UnsafeMutableRawBufferPointer) {
        if entries[0].revents != 0 { Sockets.drain(wake) }
        let hasConnections = entries[1].revents != 0
        let now = ContinuousClock.now
        // All input is read before any is handled, and hang-ups are handled first: if a client closes one connection
        // and then sends a request on another, the close is noticed first.
        var ready = receive(buffer)
        if !ready.isEmpty {
            Sockets.wait(&entries, timeout: 0)
            ready.formUnion(receive(buffer))
        }
        for hasHungUp in [true, false] {
            for id in ready {
                guard let connection = connections[id], connection.hasHungUp == hasHungUp else { continue }
                settle(connection, connection.goOn(now))
            }
        }
        if hasConnections { acceptConnections() }
    }

    /// Reads from the connections that have input, and returns those that have something to do.
    private func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Set<Int> {
        var ready: Set<Int> = []
        for (entry, id) in zip(entries.dropFirst(2), entryIDs) where entry.revents != 0 {
            let isBroken = entry.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
            connections[id]?.receive(buffer, isBroken: isBroken)
            ready.insert(id)
        }
        return ready
    }

    private func acceptConnections() {
        for _ in 0..<Self.acceptQuota {
            switch Sockets.accept(listener) {
            case .connection(let descriptor):
                acceptedCount += 1
                connections[acceptedCount] = ServerConnection(id: acceptedCount, descriptor: descriptor, core: core)
                core.statistics.update { statistics in
                    statistics.connectionsAccepted += 1
                    statistics.openConnections += 1
                }
            case .none: return
            case .exhausted:
                isExhausted = true
                return
            }
        }
    }
}
