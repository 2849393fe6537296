/// What a store knows of other stores that work in its directory.
struct DiskNeighbours: Sendable {
    /// How far the index file has been taken in.
    private(set) var place = IndexFile.Place()
    /// Whether there are any: what is not in the index may be in the files then.
    private(set) var arePresent = false
    /// When the index file was last read, in seconds since 1970.
    private var lastRead: UInt32 = 0

    /// Whether entries may be there that the index doesn't know: others may have stored them since it was last read.
    func mayHaveMore(at now: UInt32) -> Bool { arePresent || Int(now) - Int(lastRead) > 1 }

    mutating func read(upTo place: IndexFile.Place, at now: UInt32) {
        self.place = place
        lastRead = now
    }

    /// Others have changed something.
    mutating func appeared() { arePresent = true }
}
