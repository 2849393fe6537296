#if canImport(Darwin)
import Foundation

/// Allocates memory for bitmaps on Apple's systems: the allocator, which returns large blocks to the system by itself.
enum BitmapMemory {
    /// The address, and whether the block is all zeros. Otherwise it holds an older bitmap's bytes.
    typealias Block = (base: UnsafeMutableRawPointer, isZeroed: Bool)

    /// Returns nil when out of memory.
    static func take(_ byteCount: Int) -> Block? { calloc(byteCount, 1).map { ($0, true) } }

    /// Releases a block that ``take(_:)`` returned for the same byte count.
    static func giveBack(_ base: UnsafeMutableRawPointer, _ byteCount: Int) { free(base) }
}
#endif
