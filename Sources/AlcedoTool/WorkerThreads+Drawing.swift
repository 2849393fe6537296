import Alcedo

extension WorkerThreads {
    /// The threads on which the commands draw images and write files. On the cooperative pool, this work would delay
    /// other Tasks, such as the one that cancels a command after a signal.
    static let drawing = WorkerThreads("draw", count: CoreCount.current)
}
