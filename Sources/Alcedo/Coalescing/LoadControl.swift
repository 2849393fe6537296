import Synchronization

/// What travels along a load while it runs: its priority, from those who wait down to the transfer, and the progress of
/// its download, from the transfer up to those who wait.
///
/// Both are states and not messages. A priority is read when it is needed, so two changes can't overtake each other.
/// Of the progress the newest is kept, so a slow reader holds nothing up and the end is never lost.
package final class LoadControl: Sendable {
    private struct State {
        var priority: RequestPriority
        var onPriority: (@Sendable () -> Void)?
        var progress = DownloadProgress()
        var isOver = false
        var followers: [ObjectIdentifier: LoadControl] = [:]
        var readers: [Reader] = []
        var lastReader: UInt64 = 0
        /// Handles that come to the download with this load.
        var adopted: [ArrivalID] = []
        var hasArrived = false
    }

    private struct Reader {
        let id: UInt64
        let continuation: CheckedContinuation<Void, Never>
    }

    private let state: Mutex<State>
    /// The load's own; a flight has that of the load that started it.
    package let id: LoadID
    /// Where the load is announced, until its Task comes there.
    let arrival: Arrival?
    /// The loader whose load it is; nil for one of an owner that is used alone.
    let loader: ObjectIdentifier?

    package convenience init(priority: RequestPriority = .normal) { self.init(priority: priority, id: LoadID()) }

    init(
        priority: RequestPriority, id: LoadID = LoadID(), arrival: Arrival? = nil, loader: ObjectIdentifier? = nil
    ) {
        self.id = id
        self.arrival = arrival
        self.loader = loader
        state = Mutex(State(priority: priority))
    }

    // MARK: Priority

    package var priority: RequestPriority { state.withLock { $0.priority } }

    package func setPriority(_ priority: RequestPriority) {
        let poke = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.priority != priority else { return nil }
            state.priority = priority
            return state.onPriority
        }
        poke?()
    }

    /// `poke` is called after each change from now on, and is to read the priority then.
    func onPriority(_ poke: (@Sendable () -> Void)?) { state.withLock { $0.onPriority = poke } }

    // MARK: Arriving

    /// Takes over where a handle that shares this load is announced at the download: it comes there with the load.
    /// False if the load has been there already, or needs no download.
    func adopt(_ arrival: ArrivalID) -> Bool {
        state.withLock { state in
            if !state.hasArrived { state.adopted.append(arrival) }
            return !state.hasArrived
        }
    }

    /// All handles that come to the download with this load, its own among them.
    var arriving: [ArrivalID] { (arrival?.download).map { [$0] } ?? arrive() }

    /// The load has come to its download, or needs none. Returns the handles that come with it, once.
    func arrive() -> [ArrivalID] {
        state.withLock { state in
            state.hasArrived = true
            defer { state.adopted = [] }
            return state.adopted
        }
    }

    // MARK: Progress

    /// Takes the download a step forward, and tells all who follow.
    package func advance(_ step: (inout DownloadProgress) -> Void) {
        var woken: [Reader] = []
        state.withLock { state in
            step(&state.progress)
            Self.spread(&state, waking: &woken)
        }
        for reader in woken { reader.continuation.resume() }
    }

    /// The load is over: readers are told what they have not been told yet, and then that nothing comes any more.
    package func finish() {
        let woken = state.withLock { state in
            state.isOver = true
            // A handle may be kept for longer, and would keep a body.
            state.progress.letGo()
            defer { state.readers = [] }
            return state.readers
        }
        for reader in woken { reader.continuation.resume() }
    }

    /// `follower` has this progress from now on, and at once what there is of it. Costs the same however many follow,
    /// as does ``remove(_:)``.
    package func add(_ follower: LoadControl) {
        var woken: [Reader] = []
        state.withLock { state in
            state.followers[ObjectIdentifier(follower)] = follower
            if !state.progress.isIdle { follower.take(state.progress, waking: &woken) }
        }
        for reader in woken { reader.continuation.resume() }
    }

    package func remove(_ follower: LoadControl) {
        state.withLock { _ = $0.followers.removeValue(forKey: ObjectIdentifier(follower)) }
    }

    /// Locks are nested from a load to those who follow it, never the other way.
    private func take(_ progress: DownloadProgress, waking woken: inout [Reader]) {
        state.withLock { state in
            state.progress = progress
            Self.spread(&state, waking: &woken)
        }
    }

    private static func spread(_ state: inout State, waking woken: inout [Reader]) {
        for follower in state.followers.values { follower.take(state.progress, waking: &woken) }
        guard !state.readers.isEmpty else { return }
        woken += state.readers
        state.readers = []
    }

    // MARK: Reading

    /// The next event after what `cursor` was told, as soon as there is one; nil when the load is over or the calling
    /// Task is cancelled.
    package func next(after cursor: inout DownloadProgress.Cursor) async -> DownloadEvent? {
        while !Task.isCancelled {
            switch read(after: &cursor) {
            case .event(let event): return event
            case .over: return nil
            case .nothingYet: await change(after: cursor)
            }
        }
        return nil
    }

    /// What there is for a reader at this moment.
    enum Reading: Equatable {
        case event(DownloadEvent)
        case nothingYet
        /// Everything was told.
        case over
    }

    /// ``next(after:)`` without the waiting.
    func read(after cursor: inout DownloadProgress.Cursor) -> Reading {
        state.withLock { state in
            if let event = state.progress.event(after: &cursor) { return .event(event) }
            return state.isOver ? .over : .nothingYet
        }
    }

    /// The transfer that is under way, nil when there is none or the load is over.
    var transfer: TransferProgress? { state.withLock { $0.progress.transfer } }

    /// The transfer that is under way, as soon as there is one other than `done`; nil when the load is over or the
    /// calling Task is cancelled.
    func transfer(after done: UInt64) async -> TransferProgress? {
        var cursor = DownloadProgress.Cursor()
        while true {
            if let transfer, transfer.serial != done { return transfer }
            guard await next(after: &cursor) != nil else { return nil }
        }
    }

    /// Returns when that transfer is not under way any more, or the calling Task is cancelled.
    func end(of serial: UInt64) async {
        var cursor = DownloadProgress.Cursor()
        while transfer?.serial == serial, await next(after: &cursor) != nil {}
    }

    private func change(after cursor: DownloadProgress.Cursor) async {
        let id = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    var cursor = cursor
                    guard !state.isOver, state.progress.event(after: &cursor) == nil else { return false }
                    state.readers.append(Reader(id: id, continuation: continuation))
                    return true
                }
                // One that is cancelled before it waits finds no reader to wake, and one after that does.
                if !waits { continuation.resume() } else if Task.isCancelled { wake(id) }
            }
        } onCancel: {
            wake(id)
        }
    }

    private func wake(_ id: UInt64) {
        let reader = state.withLock { state in
            state.readers.firstIndex { $0.id == id }.map { state.readers.remove(at: $0) }
        }
        reader?.continuation.resume()
    }
}
