#if os(Linux)
import Foundation

/// Allocates memory for bitmaps on Linux: small ones with the allocator, large ones directly from the system.
///
/// The allocator often keeps memory that is freed. Pages from the system are returned to it within two seconds, or
/// reused for the next bitmap of the same length; see ``IdlePages``. They are 2 MiB in size where the system supports
/// that: with fresh pages of 4 KiB, the system would spend a third of a large decode's time on providing them.
enum BitmapMemory {
    /// The address, and whether the block is all zeros. If it isn't, it may contain any freed memory of the process.
    typealias Block = (base: UnsafeMutableRawPointer, isZeroed: Bool)

    /// Blocks of at least this many bytes come directly from the system.
    static let leastPagedBytes = 1 << 20

    private static let idle = IdleBitmapMemory()

    /// Returns nil when out of memory.
    ///
    /// - Parameter zeroes: Whether the memory must be zeroed where that costs time.
    static func take(_ byteCount: Int, zeroes: Bool = true) -> Block? {
        guard byteCount >= leastPagedBytes else {
            return zeroes ? calloc(byteCount, 1).map { ($0, true) } : malloc(byteCount).map { ($0, false) }
        }
        // Rules out overflow below; no system has that much memory.
        guard byteCount < Int.max / 2 else { return nil }
        let length = SystemPages.length(for: byteCount)
        if let base = idle.take(length) { return (base, false) }
        return SystemPages.map(length).map { ($0, true) }
    }

    /// Releases a block that ``take(_:)`` returned for the same byte count.
    static func giveBack(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
        guard byteCount >= leastPagedBytes else { return free(base) }
        idle.add(base, SystemPages.length(for: byteCount))
    }
}
#endif
