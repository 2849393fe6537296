import Foundation
import Synchronization

/// One download as an operation, which ends when the body has been decoded on the coder queue.
///
/// `@unchecked Sendable`, because `Operation` is; all mutable state here is in a `Mutex`.
final class ClassicDownload: Operation, @unchecked Sendable {
    private enum Phase { case waiting, executing, finished }

    private struct State {
        var phase = Phase.waiting
        var cancelTransfer: (@Sendable () -> Void)?
    }

    private let url: URL
    private let network: ScriptedNetwork
    private let coder: DispatchQueue
    private let decode: @Sendable (Data) throws -> ClassicImage
    private let ended: @Sendable (ClassicDownload, Result<(ClassicImage, Data), any Error>) -> Void
    private let state = Mutex(State())

    init(
        _ url: URL, network: ScriptedNetwork, coder: DispatchQueue,
        decode: @escaping @Sendable (Data) throws -> ClassicImage,
        ended: @escaping @Sendable (ClassicDownload, Result<(ClassicImage, Data), any Error>) -> Void
    ) {
        self.url = url
        self.network = network
        self.coder = coder
        self.decode = decode
        self.ended = ended
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state.withLock { $0.phase == .executing } }
    override var isFinished: Bool { state.withLock { $0.phase == .finished } }

    override func start() {
        guard !isCancelled else { return finish() }
        willChangeValue(for: \.isExecuting)
        state.withLock { $0.phase = .executing }
        didChangeValue(for: \.isExecuting)
        let cancelTransfer = network.start { [self] chunk in receive(chunk) }
        let isRunning = state.withLock { state in
            if state.phase == .executing { state.cancelTransfer = cancelTransfer }
            return state.phase == .executing
        }
        // The operation may have been cancelled in between.
        if isRunning, isCancelled { cancelTransfer() }
    }

    override func cancel() {
        super.cancel()
        state.withLock { $0.cancelTransfer.take() }?()
    }

    /// Receives the whole body, or nil if the transfer was cancelled.
    private func receive(_ chunk: Data?) {
        guard let chunk, !isCancelled else {
            ended(self, .failure(ClassicCancellation()))
            return finish()
        }
        var body = Data()
        body.append(chunk)
        coder.async { [self, body] in
            ended(self, Result { (try decode(body), body) })
            finish()
        }
    }

    private func finish() {
        willChangeValue(for: \.isExecuting)
        willChangeValue(for: \.isFinished)
        state.withLock { state in
            state.phase = .finished
            state.cancelTransfer = nil
        }
        didChangeValue(for: \.isFinished)
        didChangeValue(for: \.isExecuting)
    }
}
