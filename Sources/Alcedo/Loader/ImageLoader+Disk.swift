// What programs do with the disk cache itself. Without one, it is as if it were empty.

extension ImageLoader {
    /// Waits until everything stored so far is written to disk, as a program should before it ends.
    ///
    /// The files have been handed to the system then; that it has put them on the device is waited for only when
    /// ``DiskStore/Settings/synchronization`` says so. Cancelling does not shorten the wait.
    public func flush() async {
        await path.flights.settle()
        await path.disk?.flush()
    }

    /// What was asked of the disk cache so far, and what it holds. Waits until its directory has been read.
    public var diskStatistics: DiskStatistics {
        get async { await path.disk?.statistics ?? DiskStatistics() }
    }

    /// Whether a picture for `request` is in memory, or its bytes or a picture made of them for it on disk. What is on
    /// disk is not read whole: that it is not damaged is seen when it is loaded. Is no use of it.
    ///
    /// - Parameters:
    ///   - request: what it would be loaded by.
    ///   - tiers: where it is looked for. Default: in both.
    public func contains(_ request: ImageRequest, in tiers: CacheTiers = .all) async -> Bool {
        if tiers.includesMemory,
            path.memory.contains(ImageKey(request), largerServes: request.precision == .atLeast)
        {
            return true
        }
        return tiers.includesDisk ? await path.isOnDisk(request) : false
    }

    /// What the disk cache knows of the bytes of `request`, nil when it has none. Waits until what was stored so far
    /// has been written, and reads the end of the file. Is no use of it.
    public func diskEntry(for request: ImageRequest) async -> DiskEntry? {
        await path.flights.settle()
        guard let disk = path.disk, let key = await path.diskKey(ResourceKey(request)) else { return nil }
        return await disk.info(of: key)
    }

    /// All entries on disk, the one used longest ago first. Reads the end of each file: some 5 µs for each.
    ///
    /// - Parameter includingExpired: whether those are among them whose time is over, which no load finds, and whose
    ///   files have not been removed yet. Default: they are not.
    public func diskEntries(includingExpired: Bool = false) async -> [DiskEntry] {
        await path.flights.settle()
        var entries: [DiskEntry] = []
        await path.disk?.forEachEntry(includingExpired: includingExpired) { entries += $0.map(\.entry) }
        return entries
    }

    /// Removes entries from disk, and returns those that were there; their files are gone then. Memory keeps what it
    /// has. A load that this loader began before can't bring them back to disk, and no caller joins it. One that
    /// another loader has under way on the same directory, in this program or another, is not known here, and stores
    /// what it brings.
    @discardableResult
    public func removeFromDisk(_ selection: DiskSelection) async -> [RemovedEntry] {
        await path.removeFromDisk(selection)
    }

    /// Evicts entries from disk, those used longest ago first, until their files take no more than so many bytes, and
    /// returns them. The limits stay.
    @discardableResult
    public func trimDisk(toBytes bytes: Int) async -> [RemovedEntry] {
        await path.disk?.trim(toBytes: bytes) ?? []
    }

    /// Reads all entries on disk and compares them with their checksums. Those that are damaged are reported as
    /// ``LoadEvent/cacheFailed(_:)`` and moved away; they are returned, with the number of the others.
    public func verifyDisk() async -> (whole: Int, damaged: [RemovedEntry]) {
        await path.flights.settle()
        return await path.disk?.verify() ?? (0, [])
    }
}
