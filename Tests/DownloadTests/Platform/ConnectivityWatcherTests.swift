#if os(Linux)
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The kernel of this machine. A test of the command changes the network of a namespace.
@Suite(.timeLimit(.minutes(1)), .serialized) struct ConnectivityWatcherTests {
    /// The lines of /proc/net/netlink about this process's sockets that get all the notifications.
    private func sockets() throws -> [String] {
        let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            var target = [UInt8](repeating: 0, count: 64)
            let count = readlink("/proc/self/fd/\(name)", &target, target.count)
            return count < 0 ? nil : String(decoding: target[..<count], as: UTF8.self)
        }
        return try String(contentsOfFile: "/proc/net/netlink", encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { line in
                let fields = line.split(separator: " ")
                return fields.count > 9 && fields[3] == "00000551" && own.contains("socket:[\(fields[9])]")
            }
    }

    @Test func network_isReported() async throws {
        let reports = Recorder<Bool>()
        let watcher = try #require(ConnectivityWatcher { reports.record($0) })
        await reports.wait { !$0.isEmpty }
        withExtendedLifetime(watcher) {}
    }

    @Test func releasedWatcher_givesItsThreadAndDescriptorsBack() async throws {
        let (reports, ended) = (Recorder<Bool>(), Recorder<Bool>())
        var watcher: ConnectivityWatcher? = {
            let token = Token { ended.record(true) }
            return ConnectivityWatcher {
                withExtendedLifetime(token) {}
                reports.record($0)
            }
        }()
        try #require(watcher != nil)
        await reports.wait { !$0.isEmpty }
        #expect(try sockets().count == 1)
        watcher = nil
        // The thread's block is released when it has run.
        await ended.wait { !$0.isEmpty }
        #expect(try sockets() == [])
    }

    @Test func monitor_knowsTheNetwork_ofThisMachine() async throws {
        let monitor = NetworkMonitor { ConnectivityWatcher(onReport: $0) }
        let waiters = (0..<3).map { _ in monitor.join() }
        var answers: Set<Bool> = []
        for waiter in waiters { answers.insert(await waiter.isConnected()) }
        #expect(answers.count == 1)
        for waiter in waiters { monitor.leave(waiter) }
        #expect(!monitor.isOffline)
    }

    /// Reports when it is released.
    private final class Token: Sendable {
        private let onEnd: @Sendable () -> Void

        init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

        deinit { onEnd() }
    }
}
#endif
