/// Callers that wait until certain things have ended, each until all of its own have.
struct Settlers<ID: Hashable> {
    private var waiting: [(awaited: Set<ID>, continuation: CheckedContinuation<Void, Never>)] = []

    /// - Parameter ids: Must not be empty.
    mutating func add(_ continuation: CheckedContinuation<Void, Never>, awaiting ids: Set<ID>) {
        waiting.append((ids, continuation))
    }

    /// Resumes those that have waited only for this one.
    mutating func end(_ id: ID) {
        guard !waiting.isEmpty else { return }
        for index in waiting.indices { waiting[index].awaited.remove(id) }
        let done = waiting.filter(\.awaited.isEmpty)
        waiting.removeAll(where: \.awaited.isEmpty)
        for settler in done { settler.continuation.resume() }
    }
}
