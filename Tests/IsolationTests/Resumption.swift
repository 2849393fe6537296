import Foundation
import Synchronization

/// Records the isolation of the code around a call.
final class Resumption: Sendable {
    struct Note: Sendable, Equatable {
        /// The actor to which the code is isolated according to the compiler.
        let actor: ObjectIdentifier?
        /// Whether the runtime agrees.
        let isCurrent: Bool
    }

    private let state = Mutex<[Note]>([])
    private let (firstNote, noted) = AsyncStream<Never>.makeStream()

    var notes: [Note] { state.withLock { $0 } }

    /// Returns once a note has been recorded.
    func untilNoted() async { for await _ in firstNote {} }

    /// Records where the caller runs.
    ///
    /// After a call, this must come first, in a `defer` of the calling function: an actor-isolated caller further up
    /// may hop back to its actor, and would hide that the call returned elsewhere.
    func note(isolation actor: isolated (any Actor)? = #isolation) {
        let note = Note(actor: actor.map(ObjectIdentifier.init), isCurrent: isCurrent(actor))
        state.withLock { $0.append(note) }
        noted.finish()
    }
}

/// Whether the calling thread holds the executor of `actor`, as the runtime sees it.
///
/// Unlike `preconditionIsolated`, it doesn't trap. An immediate Task begins inside the call if its actor's executor is
/// the current one, and later otherwise.
@inline(never)
func isCurrent(_ actor: isolated (any Actor)?) -> Bool {
    guard #available(macOS 26, iOS 26, *) else {
        actor?.preconditionIsolated()
        return true
    }
    let caller = threadID()
    let flag = Flag()
    Task.immediate {
        _ = actor
        if threadID() == caller { flag.set() }
    }
    return flag.isSet
}

private func threadID() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
    func set() { value.store(true, ordering: .sequentiallyConsistent) }
}
