/// A store's knowledge of other stores that share its directory.
struct DiskNeighbors: Sendable {
    /// Whether another store has changed something. If so, the directory may contain entries that the index doesn't.
    var arePresent = false
    /// When the index file was last read, in seconds since 1970.
    private var lastRead: UInt32 = 0

    /// Whether there may be entries that the index doesn't know, because other stores wrote them since the index file
    /// was last read.
    func mayHaveMore(at now: UInt32) -> Bool { arePresent || Int(now) - Int(lastRead) > 1 }

    mutating func read(at now: UInt32) { lastRead = now }
}
