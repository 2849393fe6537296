import Synchronization

/// The state shared by the parts of a running load: its priority, passed from the waiters down to the transfer, and its
/// download progress, passed from the transfer up to the waiters.
///
/// Both are states, not messages. A priority is read when it is needed, so two changes can't overtake each other. Only
/// the latest progress is stored, so a slow reader holds nothing up and the end is never lost.
package final class LoadControl: Sendable {
    private struct State {
        var priority: RequestPriority
        var onChange: (@Sendable () -> Void)?
        var keepsResult = false
        var makingTime = Duration.zero
        var progress = DownloadProgress()
        var isOver = false
        var followers = Followers()
        var readers: [Reader] = []
        var lastReader: UInt64 = 0
        var release: Change?
        var isShared = false
    }

    private struct Reader {
        let id: ReaderID
        let wake: @Sendable () -> Void
    }

    /// Identifies a reader that waits.
    struct ReaderID: Equatable { fileprivate let number: UInt64 }

    private let state: Mutex<State>
    /// The load's id. A flight has the id of the load that started it.
    package let id: LoadID
    /// The loader that the load belongs to; nil if the load was started without a loader.
    let loader: ObjectIdentifier?
    /// Whether the caller itself revalidates a stale image that it receives.
    let revalidates: Bool
    /// The entity tags of the files that the caller's client has; nil if the caller needs the file in any case.
    let known: EntityTags?

    package convenience init(priority: RequestPriority = .normal) { self.init(priority: priority, id: LoadID()) }

    init(
        priority: RequestPriority, id: LoadID = LoadID(), loader: ObjectIdentifier? = nil, revalidates: Bool = false,
        known: EntityTags? = nil
    ) {
        self.revalidates = revalidates
        self.known = known
        self.id = id
        self.loader = loader
        state = Mutex(State(priority: priority))
    }

    // MARK: Priority

    package var priority: RequestPriority { state.withLock { $0.priority } }

    package func setPriority(_ priority: RequestPriority) { change(priority).forEach { $0() } }

    /// Work to do once no lock is held, such as reporting a change.
    package typealias Change = @Sendable () -> Void

    /// Sets the priority. Returns the closures to call once no lock is held.
    func change(_ priority: RequestPriority) -> [Change] {
        state.withLock { state in
            if state.priority == priority { return [] }
            state.priority = priority
            return state.onChange.map { [$0] } ?? []
        }
    }

    /// Sets a closure that is called whenever the priority has changed. The closure should read the current priority.
    func onChange(_ poke: (@Sendable () -> Void)?) { state.withLock { $0.onChange = $0.isOver ? nil : poke } }

    // MARK: Callers

    /// Whether to store the flight's result: true once a caller other than a flight has joined it.
    var keepsResult: Bool {
        get { state.withLock { $0.keepsResult } }
        set { state.withLock { $0.keepsResult = newValue } }
    }

    /// The time spent decoding and processing, including that of the load's inputs, but without the time spent waiting
    /// for a turn.
    var makingTime: Duration { state.withLock { $0.makingTime } }

    func addMakingTime(_ time: Duration) { state.withLock { $0.makingTime += time } }

    /// Whether the caller shares another caller's load.
    var isShared: Bool {
        get { state.withLock { $0.isShared } }
        set { state.withLock { $0.isShared = newValue } }
    }

    // MARK: Holding

    /// Keeps a flight begun by others alive until the load has joined it or ends.
    ///
    /// - Parameter release: Called once, by ``endHold()``.
    func hold(release: @escaping Change) { state.withLock { $0.release = release } }

    func endHold() { state.withLock { $0.release.take() }?() }

    // MARK: Progress

    /// The bytes of the body that the download has received.
    var receivedBytes: Int { state.withLock { $0.progress.received } }

    /// Whether the body that the download has received may be truncated.
    var mayBeTruncated: Bool { state.withLock { $0.progress.mayBeTruncated } }

    /// Advances the download's progress and notifies all followers.
    package func advance(_ step: (inout DownloadProgress) -> Void) {
        var woken: [Reader] = []
        state.withLock { state in
            step(&state.progress)
            Self.spread(&state, waking: &woken)
        }
        for reader in woken { reader.wake() }
    }

    /// Ends the load. Readers still receive what they haven't read yet, and then the end.
    package func finish() {
        endHold()
        let woken = state.withLock { state in
            state.isOver = true
            // A handle that is kept would retain the owners.
            state.onChange = nil
            // The download may continue for others. A handle may live longer, and would retain a body and the loader.
            state.progress.releaseBody()
            defer { state.readers = [] }
            return state.readers
        }
        for reader in woken { reader.wake() }
    }

    /// Passes this progress on to `follower` from now on, starting with the current state. The cost of this and of
    /// ``remove(_:)`` doesn't depend on the number of followers.
    ///
    /// - Returns: The closures that wake the readers, to call once no lock is held.
    package func share(with follower: LoadControl) -> [Change] {
        var woken: [Reader] = []
        state.withLock { state in
            state.followers.insert(follower)
            if !state.progress.isIdle { follower.take(state.progress, waking: &woken) }
        }
        return woken.map(\.wake)
    }

    /// Ends the sharing with `follower`, which keeps the progress so far.
    package func remove(_ follower: LoadControl) { state.withLock { $0.followers.remove(follower) } }

    /// Ends the sharing of this progress, so that this control no longer retains its followers.
    func removeAll() { state.withLock { $0.followers = Followers() } }

    /// Locks are nested from a load to its followers, never the other way. A follower that has ended is removed later.
    private func take(_ progress: DownloadProgress, waking woken: inout [Reader]) {
        state.withLock { state in
            if state.isOver { return }
            state.progress = progress
            Self.spread(&state, waking: &woken)
        }
    }

    private static func spread(_ state: inout State, waking woken: inout [Reader]) {
        state.followers.forEach { $0.take(state.progress, waking: &woken) }
        guard !state.readers.isEmpty else { return }
        woken += state.readers
        state.readers = []
    }

    // MARK: Reading

    /// Waits for the next event after `cursor` and returns it. Returns nil when the load has ended or the calling Task
    /// is cancelled.
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

    /// The result of reading without waiting.
    enum Reading: Equatable {
        case event(DownloadEvent)
        case nothingYet
        /// The load has ended and every event has been read.
        case over
    }

    /// Like ``next(after:)``, but doesn't wait.
    func read(after cursor: inout DownloadProgress.Cursor) -> Reading {
        state.withLock { state in
            if let event = state.progress.event(after: &cursor) { return .event(event) }
            return state.isOver ? .over : .nothingYet
        }
    }

    /// The current transfer, or nil when there is none or the load has ended.
    var transfer: TransferProgress? { state.withLock { $0.progress.transfer } }

    private func change(after cursor: DownloadProgress.Cursor) async {
        let (id, promise) = (newReader(), Promise<Void>())
        await promise.value(after: { if !wait(id, after: cursor, { promise.end(()) }) { promise.end(()) } }) {
            promise.end(())
        }
        stopWaiting(id)
    }

    func newReader() -> ReaderID {
        state.withLock { state in
            state.lastReader += 1
            return ReaderID(number: state.lastReader)
        }
    }

    /// Calls `wake` once, as soon as there is something to read after `cursor` or the load has ended. If that is
    /// already the case, returns false without calling `wake`.
    func wait(
        _ reader: ReaderID, after cursor: DownloadProgress.Cursor, _ wake: @escaping @Sendable () -> Void
    ) -> Bool {
        state.withLock { state in
            var cursor = cursor
            let isUnread = state.progress.event(after: &cursor) != nil
            guard !state.isOver, !isUnread else { return false }
            state.readers.append(Reader(id: reader, wake: wake))
            return true
        }
    }

    /// Ends a reader's wait without waking it.
    func stopWaiting(_ reader: ReaderID) {
        _ = state.withLock { state in
            state.readers.firstIndex { $0.id == reader }.map { state.readers.remove(at: $0) }
        }
    }
}
