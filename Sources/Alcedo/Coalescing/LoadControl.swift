import Synchronization

/// The state shared along a running load: its priority, passed from the waiters down to the transfer, and its download
/// progress, passed from the transfer up to the waiters.
///
/// Both are states, not messages. A priority is read when it is needed, so two changes can't overtake each other. Only
/// the latest progress is stored, so a slow reader holds nothing up and the end is never lost.
package final class LoadControl: Sendable {
    private struct State {
        var priority: RequestPriority
        var onChange: (@Sendable () -> Void)?
        var keepsResult = false
        var makingTime = Duration.zero
        /// Nil before anything has happened.
        var progress: SharedProgress?
        var isOver = false
        var followers = Followers()
        var readers: [Reader] = []
        var lastReader: UInt64 = 0
        var release: Change?
        var isShared = false
    }

    /// One object for a download and all who follow it, so that nothing is copied as it advances.
    private final class SharedProgress: Sendable {
        let value: Mutex<DownloadProgress>
        init(_ value: DownloadProgress = DownloadProgress()) { self.value = Mutex(value) }

        func copy() -> SharedProgress { SharedProgress(value.withLock { $0 }) }
    }

    private struct Reader {
        let id: ReaderID
        let wake: @Sendable () -> Void
    }

    /// Identifies a reader that waits.
    struct ReaderID: Equatable { fileprivate let number: UInt64 }

    private let state: Mutex<State>
    /// The load's own; a flight has that of the load that started it.
    package let id: LoadID
    /// The loader whose load it is; nil for one of an owner that is used alone.
    let loader: ObjectIdentifier?
    /// Whether the caller itself revalidates a stale image that it gets.
    let revalidates: Bool
    /// The tags of the files that the caller's client has; nil for a caller that needs the file in any case.
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

    /// What remains to be done once no lock is held, such as reporting a change.
    typealias Change = @Sendable () -> Void

    /// Sets the priority.
    func change(_ priority: RequestPriority) -> [Change] {
        state.withLock { state in
            if state.priority == priority { return [] }
            state.priority = priority
            return state.onChange.map { [$0] } ?? []
        }
    }

    /// `poke` is called whenever the priority has changed, from now on. It should read the priority then.
    func onChange(_ poke: (@Sendable () -> Void)?) { state.withLock { $0.onChange = $0.isOver ? nil : poke } }

    // MARK: Callers

    /// Whether the flight's result is stored, because a caller has waited for it by now. Otherwise, only other flights
    /// work on it.
    var keepsResult: Bool {
        get { state.withLock { $0.keepsResult } }
        set { state.withLock { $0.keepsResult = newValue } }
    }

    /// How long decoding and processing took, including those of its inputs, without waiting for a turn.
    var makingTime: Duration { state.withLock { $0.makingTime } }

    func addMakingTime(_ time: Duration) { state.withLock { $0.makingTime += time } }

    /// Whether the caller shares the load of another one.
    var isShared: Bool {
        get { state.withLock { $0.isShared } }
        set { state.withLock { $0.isShared = newValue } }
    }

    // MARK: Holding

    /// Keeps something that others have begun for the load until the load has joined it or ends.
    ///
    /// - Parameter release: Called once, by ``endHold()``.
    func hold(release: @escaping Change) { state.withLock { $0.release = release } }

    func endHold() { state.withLock { $0.release.take() }?() }

    // MARK: Progress

    /// The bytes of the body that the download has received.
    var receivedBytes: Int { state.withLock { $0.progress?.value.withLock { $0.received } ?? 0 } }

    /// Whether the body that the download has received may be truncated.
    var mayBeTruncated: Bool { state.withLock { $0.progress?.value.withLock { $0.mayBeTruncated } ?? false } }

    /// Advances the download's progress and notifies all followers.
    package func advance(_ step: (inout DownloadProgress) -> Void) {
        var woken: [Reader] = []
        state.withLock { state in
            let progress = state.progress ?? SharedProgress()
            progress.value.withLock { step(&$0) }
            if state.progress == nil { state.progress = progress }
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
            Self.detach(&state)
            state.progress?.value.withLock { $0.releaseBody() }
            defer { state.readers = [] }
            return state.readers
        }
        for reader in woken { reader.wake() }
    }

    /// Makes `follower` share this progress from now on, starting with the current state. Costs the same however many
    /// followers there are, and so does ``remove(_:)``.
    package func add(_ follower: LoadControl) { share(with: follower).forEach { $0() } }

    /// Like ``add(_:)``. Returns what wakes the readers that have something to read.
    func share(with follower: LoadControl) -> [Change] {
        var woken: [Reader] = []
        state.withLock { state in
            state.followers.insert(follower)
            guard let progress = state.progress, !progress.value.withLock({ $0.isIdle }) else { return }
            follower.take(progress, waking: &woken)
        }
        return woken.map(\.wake)
    }

    /// Ends the sharing with `follower`, which keeps the progress so far.
    package func remove(_ follower: LoadControl) {
        state.withLock { $0.followers.remove(follower) }
        follower.state.withLock { Self.detach(&$0) }
    }

    /// Keeps the progress so far, and lets all followers do so.
    private static func detach(_ state: inout State) {
        state.progress = state.progress?.copy()
        state.followers.forEach { $0.state.withLock { Self.detach(&$0) } }
    }

    /// Ends the sharing of this progress. Followers whose work is done in this load's Task would retain it otherwise.
    func removeAll() { state.withLock { $0.followers = Followers() } }

    /// Locks are nested from a load to its followers, never the other way. A follower that has ended leaves later.
    private func take(_ progress: SharedProgress, waking woken: inout [Reader]) {
        state.withLock { state in
            if state.isOver { return }
            if state.progress !== progress { state.progress = progress }
            Self.spread(&state, waking: &woken)
        }
    }

    private static func spread(_ state: inout State, waking woken: inout [Reader]) {
        if let progress = state.progress { state.followers.forEach { $0.take(progress, waking: &woken) } }
        guard !state.readers.isEmpty else { return }
        woken += state.readers
        state.readers = []
    }

    // MARK: Reading

    /// The next event after `cursor`, as soon as there is one. Nil when the load has ended or the calling Task is
    /// cancelled.
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

    /// The next item for a reader, if there is one at this moment.
    enum Reading: Equatable {
        case event(DownloadEvent)
        case nothingYet
        /// The load has ended and every event was read.
        case over
    }

    /// Like ``next(after:)``, but doesn't wait.
    func read(after cursor: inout DownloadProgress.Cursor) -> Reading {
        state.withLock { state in
            if let event = state.progress?.value.withLock({ $0.event(after: &cursor) }) { return .event(event) }
            return state.isOver ? .over : .nothingYet
        }
    }

    /// The current transfer, or nil when there is none or the load has ended.
    var transfer: TransferProgress? { state.withLock { $0.progress?.value.withLock { $0.transfer } } }

    private func change(after cursor: DownloadProgress.Cursor) async {
        let id = newReader()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = wait(id, after: cursor) { continuation.resume() }
                // A reader cancelled before it was registered isn't found by `onCancel`, so this checks again.
                if !waits { continuation.resume() } else if Task.isCancelled { remove(id)?.wake() }
            }
        } onCancel: {
            remove(id)?.wake()
        }
    }

    func newReader() -> ReaderID {
        state.withLock { state in
            state.lastReader += 1
            return ReaderID(number: state.lastReader)
        }
    }

    /// Calls `wake` once, as soon as there is something to read after `cursor` or the load has ended. Returns false,
    /// and doesn't call it, if that is so already.
    func wait(
        _ reader: ReaderID, after cursor: DownloadProgress.Cursor, _ wake: @escaping @Sendable () -> Void
    ) -> Bool {
        state.withLock { state in
            var cursor = cursor
            let isUnread = state.progress?.value.withLock { $0.event(after: &cursor) } != nil
            guard !state.isOver, !isUnread else { return false }
            state.readers.append(Reader(id: reader, wake: wake))
            return true
        }
    }

    /// Ends a reader's wait without waking it.
    func stopWaiting(_ reader: ReaderID) { _ = remove(reader) }

    private func remove(_ id: ReaderID) -> Reader? {
        state.withLock { state in
            state.readers.firstIndex { $0.id == id }.map { state.readers.remove(at: $0) }
        }
    }
}
