#if canImport(Darwin)
import Foundation

/// Allocates memory for bitmaps on Apple's systems: the allocator, which returns large blocks to the system by itself.
enum BitmapMemory {
    /// The address, and whether the block is all zeros. Otherwise it holds an older bitmap's bytes.
    typealias Block = (base: UnsafeMutableRawPointer, isZeroed: Bool)

    /// Returns nil when out of memory.
    ///
    /// - Parameter zeroes: Whether zeros are wanted if they cost something.
    static func take(_ byteCount: Int, zeroes: Bool = true) -> Block? {
        zeroes ? calloc(byteCount, 1).map { ($0, true) } : malloc(byteCount).map { ($0, false) }
    }

    /// Releases a block that ``take(_:)`` returned for the same byte count.
    static func giveBack(_ base: UnsafeMutableRawPointer, _ byteCount: Int) { free(base) }
}
#endif
