import Synchronization

/// Memory that is overwritten repeatedly, by one caller at a time.
final class ReusedBuffer: Sendable {
    private let bytes: Mutex<[UInt8]>

    /// Creates the buffer and writes to all of it, so that it is resident from the start.
    init(bytes count: Int) { bytes = Mutex([UInt8](repeating: 1, count: count)) }

    func withBytes<R: Sendable>(_ body: (UnsafeMutableBufferPointer<UInt8>) -> R) -> R {
        bytes.withLock { bytes in bytes.withUnsafeMutableBufferPointer { body($0) } }
    }
}
