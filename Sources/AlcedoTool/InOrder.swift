/// Concurrent work whose results are delivered in order.
enum InOrder {
    /// Does `work` for each element and delivers the results as soon as possible, in the order of the elements. At most
    /// `window` elements are in progress or finished but waiting for an earlier one.
    static func forEach<Element: Sendable, Outcome: Sendable>(
        _ elements: [Element], window: Int, work: @escaping @Sendable (Element) async -> Outcome,
        receive: (Outcome) -> Void
    ) async {
        await withTaskGroup(of: (Int, Outcome).self) { group in
            var waiting = elements.enumerated().makeIterator()
            func startNext() {
                guard let (index, element) = waiting.next() else { return }
                group.addTask { (index, await work(element)) }
            }
            for _ in 0..<window { startNext() }
            var early: [Int: Outcome] = [:]
            var next = 0
            for await (index, outcome) in group {
                early[index] = outcome
                while let outcome = early.removeValue(forKey: next) {
                    receive(outcome)
                    next += 1
                    startNext()
                }
            }
        }
    }
}

/// Concurrent work whose results are delivered as they arrive.
enum AsFinished {
    /// Does `work` for each element, at most `window` at a time, and delivers each result immediately. If the calling
    /// Task is cancelled, no more work begins.
    static func forEach<Element: Sendable, Outcome: Sendable>(
        _ elements: [Element], window: Int, work: @escaping @Sendable (Element) async -> Outcome,
        receive: (Outcome) -> Void
    ) async {
        await withTaskGroup(of: Outcome.self) { group in
            var waiting = elements.makeIterator()
            func startNext() {
                guard !Task.isCancelled, let element = waiting.next() else { return }
                group.addTask { await work(element) }
            }
            for _ in 0..<window { startNext() }
            for await outcome in group {
                receive(outcome)
                startNext()
            }
        }
    }
}
