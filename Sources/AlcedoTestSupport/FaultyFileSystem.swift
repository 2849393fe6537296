package import Alcedo
package import Foundation
import Synchronization

/// Real files whose operations can be made to fail, or be held up.
///
/// It refuses to work on a thread that is not one of ``WorkerThreads``: the cooperative pool must never block.
package final class FaultyFileSystem: FileSystem {
    package enum Operation: String, Sendable, Hashable, CaseIterable {
        case read, create, rename, remove, createDirectory, list
    }

    private struct State {
        var faults: [Operation: Int32] = [:]
        var gates: [Operation: (gate: ThreadGate, isAfter: Bool)] = [:]
        var counts: [Operation: Int] = [:]
    }

    private let base = PosixFileSystem()
    private let state = Mutex(State())

    package init() {}

    /// Makes an operation fail with an `errno` from now on; nil heals it.
    package func fail(_ operation: Operation, with code: Int32?) {
        state.withLock { $0.faults[operation] = code }
    }

    /// Holds up every call of an operation at `gate` from now on.
    ///
    /// - Parameter isAfter: whether a call is held when it has done its work, before it returns, instead of before.
    package func hold(_ operation: Operation, at gate: ThreadGate, after isAfter: Bool = false) {
        state.withLock { $0.gates[operation] = (gate, isAfter) }
    }

    /// Calls so far.
    package func count(of operation: Operation) -> Int { state.withLock { $0.counts[operation] ?? 0 } }

    package func read(_ path: String, byteLimit: Int) throws(FileError) -> Data {
        try perform(.read, path) { () throws(FileError) in try base.read(path, byteLimit: byteLimit) }
    }

    package func create(_ path: String, _ parts: [Data]) throws(FileError) {
        try perform(.create, path) { () throws(FileError) in try base.create(path, parts) }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try perform(.rename, path) { () throws(FileError) in try base.rename(path, to: newPath) }
    }

    package func remove(_ path: String) throws(FileError) {
        try perform(.remove, path) { () throws(FileError) in try base.remove(path) }
    }

    package func createDirectory(_ path: String) throws(FileError) {
        try perform(.createDirectory, path) { () throws(FileError) in try base.createDirectory(path) }
    }

    package func list(_ path: String) throws(FileError) -> [FileEntry] {
        try perform(.list, path) { () throws(FileError) in try base.list(path) }
    }

    private func perform<Result>(
        _ operation: Operation, _ path: String, _ call: () throws(FileError) -> Result
    ) throws(FileError) -> Result {
        precondition(WorkerThreads.isCurrent, "\(operation) of \(path) on a thread that must not block")
        let (fault, gate) = state.withLock { state in
            state.counts[operation, default: 0] += 1
            return (state.faults[operation], state.gates[operation])
        }
        if let gate, !gate.isAfter { gate.gate.enter() }
        defer { if let gate, gate.isAfter { gate.gate.enter() } }
        if let fault { throw FileError(call: operation.rawValue, path: path, code: fault) }
        return try call()
    }
}
