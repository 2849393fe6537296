/// Passes the events of a load to the main actor.
///
/// Waits without a Task, because most loads of a fast scroll are cancelled before their first event.
@MainActor
final class LoadFollower {
    nonisolated let load: LoadTask<ImageResponse>
    private let receive: @MainActor (DownloadEvent?) -> Void
    private let reader: LoadControl.ReaderID
    private var cursor = DownloadProgress.Cursor()
    private var isStopped = false

    /// - Parameter receive: Called with each event in a later turn of the main actor, and with nil after the last one.
    ///   If progress isn't read in time, only the latest value is delivered.
    init(_ load: LoadTask<ImageResponse>, receive: @escaping @MainActor (DownloadEvent?) -> Void) {
        self.load = load
        self.receive = receive
        reader = load.control.newReader()
        wait()
    }

    /// Stops the delivery of events immediately.
    func stop() {
        isStopped = true
        load.control.stopWaiting(reader)
    }

    private func wait() {
        let wake: @Sendable () -> Void = { Task.detached { @MainActor in self.read() } }
        if !load.control.wait(reader, after: cursor, wake) { wake() }
    }

    private func read() {
        while !isStopped {
            switch load.control.read(after: &cursor) {
            case .event(let event): receive(event)
            case .nothingYet: return wait()
            case .over: return receive(nil)
            }
        }
    }
}
