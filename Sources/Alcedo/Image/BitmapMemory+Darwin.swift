#if canImport(Darwin)
import Foundation

/// Where bitmaps get their memory, on Apple's systems: from the allocator, which hands large blocks back by itself.
enum BitmapMemory {
    /// What a bitmap is made in.
    struct Block {
        let base: UnsafeMutableRawPointer
        /// Whether all of it is zero. Otherwise it holds what another bitmap held.
        let isZeroed: Bool
    }

    /// Nil when there is none.
    static func take(_ byteCount: Int) -> Block? {
        calloc(byteCount, 1).map { Block(base: $0, isZeroed: true) }
    }

    /// Takes back what ``take(_:)`` handed out for as many bytes.
    static func giveBack(_ base: UnsafeMutableRawPointer, _ byteCount: Int) { free(base) }
}
#endif
