import Foundation
import Synchronization

/// Reusable memory for small files. Allocators contend when one thread allocates memory and another frees it.
final class ReadBuffers: Sendable {
    /// The size of each buffer in bytes.
    static let size = 16 << 10
    private static let most = 64

    /// The addresses of unused buffers.
    private let spare = Mutex<[UInt]>([])

    deinit {
        for address in spare.withLock({ $0 }) { free(UnsafeMutableRawPointer(bitPattern: address)) }
    }

    func take() -> UnsafeMutableRawPointer? {
        spare.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) } ?? malloc(Self.size)
    }

    func giveBack(_ bytes: UnsafeMutableRawPointer) {
        let isPooled = spare.withLock { spare in
            guard spare.count < Self.most else { return false }
            spare.append(UInt(bitPattern: bytes))
            return true
        }
        if !isPooled { free(bytes) }
    }
}
