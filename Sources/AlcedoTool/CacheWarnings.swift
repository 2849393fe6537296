import Alcedo
import Synchronization

/// Prints cache failures, once per kind of operation, because a cache that can't write fails for every image.
final class CacheWarnings: Sendable {
    private let console: Console
    private let told = Mutex<Set<CacheFailure.Operation>>([])

    init(console: Console) { self.console = console }

    func receive(_ event: ToolEvent) {
        if case .cacheFailed(let failure) = event { receive(failure) }
    }

    func receive(_ failure: CacheFailure) {
        if told.withLock({ $0.insert(failure.operation).inserted }) { console.error("warning: \(failure)") }
    }
}
