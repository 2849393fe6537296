/// The credentials of each origin, and the downloads that wait for them. Decides only: its owner calls the hook and
/// resumes the downloads.
package struct CredentialTable<Waiter: Hashable & Sendable>: Sendable {
    /// The next step of a download whose request was answered with 401.
    package enum Step: Equatable {
        /// Repeats its request: there are other credentials than those it sent.
        case again
        /// Calls the hook, and waits for it. The number goes to ``answer(_:_:of:)``.
        case ask(Int)
        /// Waits for the hook, which is called already.
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

    /// - Parameter capacity: How many origins' credentials are kept. Beyond that all are forgotten, and asked for anew.
    package init(capacity: Int = 1_000) { self.capacity = capacity }

    /// The credentials to send to `origin`; nil for none.
    package func credentials(for origin: String) -> String? { known.isEmpty ? nil : known[origin] }

    /// The number of waiters; for tests.
    package func waiterCount(of origin: String) -> Int { questions[origin]?.waiters.count ?? 0 }

    /// A request to `origin` was answered with 401.
    ///
    /// - Parameter sent: The credentials that it carried; nil for none.
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

    /// A repeated request was answered with 401. Its credentials aren't sent again.
    package mutating func forget(_ sent: String?, of origin: String) {
        if let sent, known[origin] == sent { known[origin] = nil }
    }

    /// The hook has returned. Returns the downloads that waited for it; none if all had left.
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

    /// A waiter has left. Returns whether it was the last one, so that the hook is cancelled.
    package mutating func leave(_ waiter: Waiter, of origin: String) -> Bool {
        guard questions[origin]?.waiters.remove(waiter) != nil, questions[origin]?.waiters.isEmpty == true else {
            return false
        }
        questions[origin] = nil
        return true
    }
}
