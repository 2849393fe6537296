#if os(Linux)
import Foundation

/// The open files that are watched. The last holder calls ``close()``.
struct MemoryPressureSources: Sendable {
    /// Waits for events and fills in which ones occurred, like `poll`.
    typealias Wait = @Sendable (inout [pollfd]) -> Int32

    enum Kind: Sendable {
        case someStall, allStall, counters
    }

    struct Source: Sendable {
        let kind: Kind
        let file: Int32
    }

    private(set) var all: [Source] = []
    /// The counters when their file was opened.
    private(set) var events = MemoryEvents("")

    /// The stall time in microseconds within a time window that wakes the watcher: a tenth of the window for some task,
    /// a quarter for all tasks simultaneously. Windows other than whole multiples of 2 seconds require privileges
    /// (Documentation/accounting/psi.rst of Linux).
    private static let someStall = "some 200000 2000000"
    private static let allStall = "full 500000 2000000"

    /// Opens the first usable file of each kind.
    init(_ files: MemoryPressureFiles) throws(MemoryPressureUnavailable) {
        var failures: [FileError] = []
        for path in files.stalls where all.isEmpty {
            do throws(FileError) {
                all.append(Source(kind: .someStall, file: try Self.trigger(path, Self.someStall)))
                all.append(Source(kind: .allStall, file: try Self.trigger(path, Self.allStall)))
            } catch {
                failures.append(error)
            }
        }
        for path in files.events where !all.contains(where: { $0.kind == .counters }) {
            do throws(FileError) {
                let file = try Self.open(path, O_RDONLY)
                all.append(Source(kind: .counters, file: file))
                // Only changes after the first reading are reported.
                guard let text = SystemFile.text(of: file) else {
                    let error = FileError(call: "read", path: path, code: errno)
                    remove(at: all.count - 1)
                    throw error
                }
                events = MemoryEvents(text)
            } catch {
                failures.append(error)
            }
        }
        if all.isEmpty { throw MemoryPressureUnavailable(failures: failures) }
    }

    /// Closes and removes the source at `index`.
    mutating func remove(at index: Int) { Foundation.close(all.remove(at: index).file) }

    mutating func close() {
        while !all.isEmpty { remove(at: all.count - 1) }
    }

    /// Waits for reports until no file is left to watch, or the other end of the connection `stop` is closed. Then
    /// closes the files and `stop`.
    mutating func watch(until stop: Int32, now: () -> Duration, wait: Wait, onPressure: (MemoryPressure) -> Void) {
        var gate = MemoryPressureGate(events: events)
        while !all.isEmpty {
            var polled = all.map { pollfd(fd: $0.file, events: Int16(POLLPRI), revents: 0) }
            polled.append(pollfd(fd: stop, events: 0, revents: 0))
            if wait(&polled) < 0 {
                if errno == EINTR { continue }
                break
            }
            if polled[polled.count - 1].revents != 0 { break }
            for index in all.indices.reversed() where polled[index].revents != 0 {
                if let event = event(of: all[index], Int32(polled[index].revents)) {
                    if let pressure = gate.take(event, at: now()) { onPressure(pressure) }
                } else {
                    remove(at: index)
                }
            }
        }
        close()
        Foundation.close(stop)
    }

    /// The event that a source reports; nil if its control group was removed, so that it reports no more.
    private func event(of source: Source, _ found: Int32) -> MemoryPressureGate.Event? {
        let isBroken = found & (POLLERR | POLLHUP | POLLNVAL) != 0
        switch source.kind {
        case .someStall: return isBroken ? nil : .someStalled
        case .allStall: return isBroken ? nil : .allStalled
        // Changed counters are reported as an exceptional condition and an error simultaneously.
        case .counters: return SystemFile.text(of: source.file).map { .counted(MemoryEvents($0)) }
        }
    }

    private static func open(_ path: String, _ access: Int32) throws(FileError) -> Int32 {
        let file = Foundation.open(path, access | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw FileError(call: "open", path: path, code: errno) }
        return file
    }

    /// Registers a wake-up that remains in force while the file is open.
    private static func trigger(_ path: String, _ text: String) throws(FileError) -> Int32 {
        let file = try open(path, O_RDWR)
        // The kernel expects the last byte to terminate the text.
        let bytes = Array(text.utf8) + [0]
        guard write(file, bytes, bytes.count) == bytes.count else {
            let error = FileError(call: "write", path: path, code: errno)
            Foundation.close(file)
            throw error
        }
        return file
    }
}
#endif
