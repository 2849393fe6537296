/// Downloads that came whole while nobody waited: of too many bytes, those that came first are given up first.
struct LandedDownloads<ID: Hashable & Sendable>: Sendable {
    private let byteLimit: Int
    /// In the order they came.
    private var sizes: [(id: ID, bytes: Int)] = []
    private(set) var byteCount = 0

    /// - Parameter byteLimit: bytes of all bodies.
    init(byteLimit: Int) {
        self.byteLimit = max(0, byteLimit)
    }

    /// Keeps one that is not there yet: those that are given up for it, itself if it is larger than all may be.
    mutating func keep(_ id: ID, bytes: Int) -> [ID] {
        guard bytes <= byteLimit else { return [id] }
        var excess = sizes[...]
        while byteCount > byteLimit - bytes, let first = excess.popFirst() { byteCount -= first.bytes }
        let given = sizes[..<excess.startIndex].map(\.id)
        sizes.removeFirst(given.count)
        sizes.append((id, bytes))
        byteCount += bytes
        return given
    }

    /// Unknown ids change nothing.
    mutating func remove(_ id: ID) {
        // Mostly the first one, as all stay for the same time.
        guard let index = sizes.firstIndex(where: { $0.id == id }) else { return }
        byteCount -= sizes.remove(at: index).bytes
    }
}
