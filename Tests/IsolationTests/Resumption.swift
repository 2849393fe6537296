import Foundation
import Synchronization

/// Records where the code around a call runs.
final class Resumption: Sendable {
    struct Note: Sendable, Equatable {
        /// The actor that the compiler takes the code to be isolated to.
        let actor: ObjectIdentifier?
        /// Whether the runtime agrees.
        let isCurrent: Bool
    }

    private let state = Mutex<[Note]>([])
    private let (firstNote, noted) = AsyncStream<Never>.makeStream()

    var notes: [Note] { state.withLock { $0 } }

    /// Returns once a note has been made.
    func untilNoted() async { for await _ in firstNote {} }

    /// Records the place of the caller.
    ///
    /// After a call it must come first, in a `defer` of the function that calls: an actor-isolated caller further up
    /// may hop back to its actor, and would hide that the call returned elsewhere.
    func note(isolation actor: isolated (any Actor)? = #isolation) {
        let note = Note(actor: actor.map(ObjectIdentifier.init), isCurrent: isCurrent(actor))
        state.withLock { $0.append(note) }
        noted.finish()
    }
}

/// Whether the calling thread holds the executor of `actor`, as the runtime sees it.
///
/// Unlike `preconditionIsolated`, it doesn't trap. An immediate Task begins within the call if its actor's executor is
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
