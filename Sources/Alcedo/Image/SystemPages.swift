#if os(Linux)
import Foundation

/// Memory directly from the system, zeroed, in whole pages.
enum SystemPages {
    /// The size and alignment of a transparent huge page, which the system provides on request where it can.
    private static let largePage = 2 << 20
    private static let page = sysconf(Int32(_SC_PAGESIZE))

    /// `byteCount` rounded up to whole pages. `byteCount` is less than half of `Int.max`.
    static func length(for byteCount: Int) -> Int { (byteCount + page - 1) / page * page }

    /// Returns nil when the system is out of memory. Pages are provided as they are written.
    static func map(_ length: Int) -> UnsafeMutableRawPointer? {
        guard length >= largePage else { return mapAnywhere(length) }
        // Over-allocates so that the block can be aligned; the parts before and after it are unmapped.
        guard let room = mapAnywhere(length + largePage) else { return nil }
        let base = room.alignedUp(toMultipleOf: largePage)
        unmap(room, base - room)
        unmap(base + length, room + largePage - base)
        // The remainder stays in small pages, so nothing is rounded up. Systems without huge pages ignore this call.
        _ = madvise(base, length, MADV_HUGEPAGE)
        return base
    }

    static func unmap(_ base: UnsafeMutableRawPointer, _ length: Int) {
        guard length > 0 else { return }
        let status = munmap(base, length)
        precondition(status == 0, "memory that was not mapped")
    }

    private static func mapAnywhere(_ length: Int) -> UnsafeMutableRawPointer? {
        let base = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return base == MAP_FAILED ? nil : base
    }
}
#endif
