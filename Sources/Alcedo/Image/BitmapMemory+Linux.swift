#if os(Linux)
import Foundation

/// Where bitmaps get their memory, on Linux: small ones from the allocator, large ones straight from the system.
///
/// What the allocator is given back it often keeps; the system's pages are gone at once, or taken again for the next
/// bitmap of the same length, see ``IdlePages``. They come in pieces of 2 MiB where the system has such: of a large
/// decode into fresh pages of 4 KiB, a third would be the system's work of handing them out.
enum BitmapMemory {
    /// What a bitmap is made in.
    struct Block {
        let base: UnsafeMutableRawPointer
        /// Whether all of it is zero. Otherwise it holds what another bitmap held.
        let isZeroed: Bool
    }

    /// Bytes from which on memory comes from the system.
    static let leastPagedBytes = 1 << 20

    private static let idle = IdleBitmapMemory()

    /// Nil when there is none.
    static func take(_ byteCount: Int) -> Block? {
        guard byteCount >= leastPagedBytes else {
            return calloc(byteCount, 1).map { Block(base: $0, isZeroed: true) }
        }
        // Far from overflows; no system has as much.
        guard byteCount < Int.max / 2 else { return nil }
        let length = SystemPages.length(for: byteCount)
        if let base = idle.take(length) { return Block(base: base, isZeroed: false) }
        return SystemPages.map(length).map { Block(base: $0, isZeroed: true) }
    }

    /// Takes back what ``take(_:)`` handed out for as many bytes.
    static func giveBack(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
        guard byteCount >= leastPagedBytes else { return free(base) }
        idle.add(base, SystemPages.length(for: byteCount))
    }
}
#endif
