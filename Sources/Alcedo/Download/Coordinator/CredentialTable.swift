/// The credentials of each origin, and the downloads that wait for them. It only makes decisions: its owner calls the
/// hook and resumes the downloads.
package struct CredentialTable<Waiter: Hashable & Sendable>: Sendable {
    /// The next step of a download whose request was answered with 401.
    package enum Step: Equatable {
        /// Repeat the request: there are credentials other than those it sent.
        case again
        /// Call the hook, and wait for it. The number is passed to ``answer(_:_:of:)``.
        case ask(Int)
        /// Wait for the hook, which has already been called.
        case wait
    }

    private struct Question {
        let number: Int
        var waiters: Set<Waiter>
    }

    private var known: [String: String] = [:]
    private var questions: [String: Question] = [:]
    private var lastNumber = 0
    private let capacity: Int

    /// - Parameter capacity: The maximum number of origins whose credentials are kept. When it is exceeded, all are
    ///   forgotten, and requested again.
    package init(capacity: Int = 1_000) { self.capacity = capacity }

    /// The credentials to send to `origin`; nil for none.
    package func credentials(for origin: String) -> String? { known.isEmpty ? nil : known[origin] }

    /// The number of waiters; for tests.
    package func waiterCount(of origin: String) -> Int { questions[origin]?.waiters.count ?? 0 }

    /// Decides the next step after a request to `origin` was answered with 401.
    ///
    /// - Parameter sent: The credentials that the request carried; nil for none.
    package mutating func refuse(_ sent: String?, by origin: String, waiter: Waiter) -> Step {
        if let known = known[origin], known != sent { return .again }
        known[origin] = nil
        guard questions[origin] == nil else {
            questions[origin]?.waiters.insert(waiter)
            return .wait
        }
        lastNumber += 1
        questions[origin] = Question(number: lastNumber, waiters: [waiter])
        return .ask(lastNumber)
    }

    /// Forgets credentials with which a repeated request was answered with 401.
    package mutating func forget(_ sent: String?, of origin: String) {
        if let sent, known[origin] == sent { known[origin] = nil }
    }

    /// Records the hook's answer. Returns the downloads that waited for it; none if all have left.
    ///
    /// - Parameter number: The number in ``Step/ask(_:)``.
    package mutating func answer(_ number: Int, _ credentials: String?, of origin: String) -> Set<Waiter> {
        guard let question = questions[origin], question.number == number else { return [] }
        questions[origin] = nil
        if let credentials {
            if known.count >= capacity { known.removeAll() }
            known[origin] = credentials
        }
        return question.waiters
    }

    /// Removes a waiter. Returns whether it was the last one, so that the hook is to be cancelled.
    package mutating func leave(_ waiter: Waiter, of origin: String) -> Bool {
        guard questions[origin]?.waiters.remove(waiter) != nil, questions[origin]?.waiters.isEmpty == true else {
            return false
        }
        questions[origin] = nil
        return true
    }
}
