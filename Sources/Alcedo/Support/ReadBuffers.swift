import Foundation
import Synchronization

/// Memory for small files, used again: what one thread allocates and another one frees, allocators make both wait for.
final class ReadBuffers: Sendable {
    /// Bytes of each.
    static let size = 16 << 10
    private static let most = 64

    /// Addresses of those that nobody uses.
    private let spare = Mutex<[UInt]>([])

    deinit {
        for address in spare.withLock({ $0 }) { free(UnsafeMutableRawPointer(bitPattern: address)) }
    }

    func take() -> UnsafeMutableRawPointer? {
        spare.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) } ?? malloc(Self.size)
    }

    func giveBack(_ bytes: UnsafeMutableRawPointer) {
        let isKept = spare.withLock { spare in
            guard spare.count < Self.most else { return false }
            spare.append(UInt(bitPattern: bytes))
            return true
        }
        if !isKept { free(bytes) }
    }
}
