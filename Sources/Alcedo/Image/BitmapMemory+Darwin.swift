#if canImport(Darwin)
import Foundation

/// Allocates memory for bitmaps on Apple's systems with the standard allocator, which returns large blocks to the
/// system.
enum BitmapMemory {
    /// The address, and whether the block is all zeros. If it isn't, it may contain any freed memory of the process.
    typealias Block = (base: UnsafeMutableRawPointer, isZeroed: Bool)

    /// Returns nil when out of memory.
    ///
    /// - Parameter zeroes: Whether the memory must be zeroed where that costs time.
    static func take(_ byteCount: Int, zeroes: Bool = true) -> Block? {
        zeroes ? calloc(byteCount, 1).map { ($0, true) } : malloc(byteCount).map { ($0, false) }
    }

    /// Releases a block that ``take(_:)`` returned for the same byte count.
    static func giveBack(_ base: UnsafeMutableRawPointer, _ byteCount: Int) { free(base) }
}
#endif
