#if os(Linux)
import Foundation

/// Reports whether there is a network: now, and after each change.
///
/// A watcher has one thread, which sleeps, and three descriptors; all are released with it.
final class ConnectivityWatcher: Sendable {
    /// SOCK_STREAM, whose name an optimized build confuses with one of libcurl's.
    private static let stream: Int32 = 1
    /// The kernel's answers are at most 32 KiB long.
    private static let bufferLength = 64 << 10

    /// One end of a connection. The thread sleeps on the other end.
    private let stop: Int32

    /// Nil if the system doesn't permit watching.
    ///
    /// - Parameter onReport: Called on the watcher's thread. It should return soon and should not retain the watcher.
    init?(onReport: @escaping @Sendable (Bool) -> Void) {
        guard let socket = NetlinkSocket() else { return nil }
        var ends: [Int32] = [-1, -1]
        // Used as a pipe that child processes don't inherit.
        guard socketpair(AF_UNIX, Self.stream | O_CLOEXEC, 0, &ends) == 0 else {
            socket.close()
            return nil
        }
        let end = ends[0]
        let isStarted = SystemThread.start("alcedo.network") {
            ConnectivityWatcher.watch(socket, until: end, onReport)
            socket.close()
            close(end)
        }
        guard isStarted else {
            socket.close()
            for end in ends { close(end) }
            return nil
        }
        stop = ends[1]
    }

    deinit { close(stop) }

    /// Reports until the other end of the connection `stop` is closed. If the kernel's answers can't be read, reports
    /// that there is a network, and nothing after that.
    private static func watch(_ socket: NetlinkSocket, until stop: Int32, _ onReport: (Bool) -> Void) {
        var (survey, last) = (NetworkSurvey(), Bool?.none)
        var buffer = [UInt8](repeating: 0, count: bufferLength)
        var steps = [survey.begin()]
        while true {
            for step in steps {
                switch step {
                case .ask(let kind, let number): if !socket.ask(for: kind, number: number) { return onReport(true) }
                case .report(let isConnected):
                    if isConnected != last { onReport(isConnected) }
                    last = isConnected
                case .giveUp: return onReport(true)
                }
            }
            guard wait(for: socket, until: stop) else { return }
            switch socket.receive(into: &buffer) {
            case .datagram(let count): steps = survey.take(NetlinkMessage.all(in: buffer.span.extracting(0..<count)))
            case .nothing: steps = []
            case .overflow: steps = survey.missedNotifications()
            case .failure: steps = [.giveUp]
            }
        }
    }

    /// Sleeps until there is a datagram. Returns false if the watcher was released.
    private static func wait(for socket: NetlinkSocket, until stop: Int32) -> Bool {
        while true {
            var polled = [
                pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stop, events: 0, revents: 0),
            ]
            if poll(&polled, nfds_t(polled.count), -1) < 0, errno != EINTR { return false }
            if polled[1].revents != 0 { return false }
            if polled[0].revents != 0 { return true }
        }
    }
}
#endif
