import Alcedo
import Foundation
import Synchronization

/// A network that answers when a case wants it to. A loader awaits the answers; the classic design is called back.
final class ScriptedNetwork: DataLoading {
    enum Answer: Sendable {
        case atOnce
        case later(DelayLine)
        case held(HeldAnswers)
    }

    private let body: Data
    private let answer: Mutex<Answer>
    private let transfers = Turn()

    /// The number of transfers that have begun.
    var transferCount: Int { transfers.count }

    init(_ answer: Answer, body: Data = Scripted.body) {
        self.answer = Mutex(answer)
        self.body = body
    }

    /// Sets the answer to transfers that begin from now on.
    func answer(_ answer: Answer) { self.answer.withLock { $0 = answer } }

    // MARK: Awaited

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        transfers.next()
        switch answer.withLock({ $0 }) {
        case .atOnce: break
        case .later(let line): await withCheckedContinuation { continuation in line.add { continuation.resume() } }
        case .held(let answers):
            let id = answers.makeID()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in answers.add(id) { continuation.resume() } }
            } onCancel: {
                answers.release(id)
            }
            if Task.isCancelled { throw .cancelled }
        }
        try sink.begin(ResponseHead(status: 200, url: request.url, expectedBytes: body.count))
        try sink.append(body)
    }

    // MARK: With a handler

    /// Calls `completion` with the body, or with nil after a cancellation. Returns a function that cancels the
    /// transfer.
    func start(_ completion: @escaping @Sendable (Data?) -> Void) -> @Sendable () -> Void {
        transfers.next()
        switch answer.withLock({ $0 }) {
        case .atOnce: completion(body)
        case .later(let line): line.add { [body] in completion(body) }
        case .held(let answers):
            let id = answers.makeID()
            let isCancelled = Flag()
            answers.add(id) { [body] in completion(isCancelled.isRaised ? nil : body) }
            return {
                isCancelled.raise()
                answers.release(id)
            }
        }
        return {}
    }
}
