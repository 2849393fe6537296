#if os(Linux)
import Foundation

/// The watcher's thread: it sleeps until a file reports something.
struct MemoryPressureLoop: Sendable {
    /// Waits for events and fills in which ones occurred, like `poll`.
    typealias Wait = @Sendable (inout [pollfd]) -> Int32

    private var sources: MemoryPressureSources
    private var gate: MemoryPressureGate
    /// One end of a connection. When the other end is closed, the loop ends.
    private let stop: Int32
    private let now: @Sendable () -> Duration
    private let wait: Wait
    private let onPressure: @Sendable (MemoryPressure) -> Void

    /// Takes ownership of `sources` and `stop`, and closes them at the end of ``run()``.
    init(
        _ sources: MemoryPressureSources, stop: Int32, now: @escaping @Sendable () -> Duration, wait: @escaping Wait,
        onPressure: @escaping @Sendable (MemoryPressure) -> Void
    ) {
        gate = MemoryPressureGate(events: sources.events)
        (self.sources, self.stop, self.now, self.wait, self.onPressure) = (sources, stop, now, wait, onPressure)
    }

    /// Runs until it is stopped or nothing is left to watch.
    mutating func run() {
        while !sources.all.isEmpty {
            var polled = sources.all.map { pollfd(fd: $0.file, events: Int16(POLLPRI), revents: 0) }
            polled.append(pollfd(fd: stop, events: 0, revents: 0))
            if wait(&polled) < 0 {
                if errno == EINTR { continue }
                break
            }
            if polled[polled.count - 1].revents != 0 { break }
            for index in sources.all.indices.reversed() where polled[index].revents != 0 {
                if let event = event(of: sources.all[index], Int32(polled[index].revents)) {
                    if let pressure = gate.take(event, at: now()) { onPressure(pressure) }
                } else {
                    sources.remove(at: index)
                }
            }
        }
        sources.close()
        close(stop)
    }

    /// The event that a source reports, or nil when it won't report any more because its control group is gone.
    private func event(of source: MemoryPressureSources.Source, _ found: Int32) -> MemoryPressureGate.Event? {
        let isBroken = found & (POLLERR | POLLHUP | POLLNVAL) != 0
        switch source.kind {
        case .someStall: return isBroken ? nil : .someStalled
        case .allStall: return isBroken ? nil : .allStalled
        // Changed counters are reported as an exceptional condition and an error at once.
        case .counters: return SystemFile.text(of: source.file).map { .counted(MemoryEvents($0)) }
        }
    }
}
#endif
