/// How a disk store works.
package struct DiskSettings: Sendable {
    package var directory: String
    /// Bytes of all entries as they are allocated on disk; nil chooses by what is free.
    package var byteLimit: Int?
    package var countLimit = Int.max
    package var timeToLive: Duration?
    /// Bytes that stay free on the volume.
    package var freeSpaceFloor = 0
    /// Bytes of bodies that wait to be written; a single one may be larger.
    package var stagedByteLimit = 64 << 20
    package var synchronization = DiskSynchronization.never
    /// Directories that are only read, after the store's own.
    package var bundled: [String] = []

    package init(directory: String, byteLimit: Int? = nil) {
        self.directory = directory
        self.byteLimit = byteLimit
    }

    /// A tenth of what there would be without the store, and no less than 64 MiB nor more than 1 GiB.
    package static func defaultByteLimit(free: Int, held: Int) -> Int {
        let (all, overflows) = free.addingReportingOverflow(held)
        return min(max((overflows ? .max : all) / 10, 64 << 20), 1 << 30)
    }

    func limits(bytes: Int) -> DiskIndex.Limits {
        DiskIndex.Limits(
            bytes: bytes, count: countLimit,
            timeToLive: timeToLive.map { Int(clamping: max(0, $0.components.seconds)) })
    }

    /// Bytes of the largest file that is read.
    var fileByteLimit: Int { min(max(byteLimit ?? 0, 1 << 30), 4 << 30) }
}
