#if os(Linux)
import Foundation

/// Memory straight from the system, zeroed, in whole pages.
enum SystemPages {
    /// What the system hands out at once where it can, when asked to (transparent huge pages), at multiples of it.
    private static let largePage = 2 << 20
    private static let page = sysconf(Int32(_SC_PAGESIZE))

    /// `byteCount` rounded up to whole pages; it is less than half of what there are numbers for.
    static func length(for byteCount: Int) -> Int { (byteCount + page - 1) / page * page }

    /// Nil when the system has not as much. Pages are handed out as they are written.
    static func map(_ length: Int) -> UnsafeMutableRawPointer? {
        guard length >= largePage else { return mapAnywhere(length) }
        // Room enough to begin at a multiple; what is before and behind is given back.
        guard let room = mapAnywhere(length + largePage) else { return nil }
        let base = room.alignedUp(toMultipleOf: largePage)
        unmap(room, base - room)
        unmap(base + length, room + largePage - base)
        // Pages that are no multiple stay small, so nothing is rounded up; a system without large ones ignores this.
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
