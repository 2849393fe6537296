/// Who may run now: a fixed number of slots, and a limit on what all that runs weighs together, first come first
/// served.
///
/// Nobody overtakes: a heavy one at the head holds up those behind it rather than starve. One that weighs more than the
/// limit runs alone.
package struct SlotQueue<ID: Hashable & Sendable>: Sendable {
    package let width: Int
    package let weightLimit: Int

    private var running: [ID: Int] = [:]
    private var runningWeight = 0
    /// Places in the order they were taken; those given up are still in it and are skipped.
    private var line: [Place] = []
    private var head = 0
    private var waiting: [ID: Place] = [:]
    private var lastPlace = 0

    private struct Place: Sendable, Equatable {
        let id: ID
        let number: Int
        let weight: Int
    }

    /// - Parameters:
    ///   - width: how many run at once; at least 1.
    ///   - weightLimit: the largest sum of weights that runs at once.
    package init(width: Int, weightLimit: Int = .max) {
        self.width = max(1, width)
        self.weightLimit = weightLimit
    }

    package var runningCount: Int { running.count }
    package var waitingCount: Int { waiting.count }
    /// Places that are kept, given up ones among them; for tests.
    package var lineLength: Int { line.count }

    /// Asks for a slot: true when `id` has it now, false when it waits in line. Asking twice changes nothing.
    package mutating func request(_ id: ID, weight: Int = 0) -> Bool {
        if running[id] != nil { return true }
        if waiting[id] != nil { return false }
        if waiting.isEmpty, fits(weight) {
            start(id, weight: weight)
            return true
        }
        lastPlace += 1
        let place = Place(id: id, number: lastPlace, weight: weight)
        waiting[id] = place
        line.append(place)
        return false
    }

    /// Gives back a slot, or the place in line: those that may run now, in order. Unknown ids change nothing.
    package mutating func release(_ id: ID) -> [ID] {
        if let weight = running.removeValue(forKey: id) {
            runningWeight -= weight
        } else if waiting.removeValue(forKey: id) == nil {
            return []
        }
        return startWaiting()
    }

    /// Why the queue contradicts itself, nil when it does not; for tests.
    package var brokenInvariant: String? {
        if running.count > width { return "more run than there are slots" }
        if running.count > 1, runningWeight > weightLimit { return "the weight limit is exceeded" }
        if running.values.reduce(0, +) != runningWeight { return "the weights do not add up" }
        let inLine = line[head...].filter { waiting[$0.id] == $0 }
        if inLine.count != waiting.count { return "one waits outside the line" }
        if let first = inLine.first, fits(first.weight) { return "one waits although it fits" }
        return nil
    }

    private func fits(_ weight: Int) -> Bool {
        running.isEmpty || (running.count < width && weight <= weightLimit - runningWeight)
    }

    private mutating func start(_ id: ID, weight: Int) {
        running[id] = weight
        runningWeight += weight
    }

    private mutating func startWaiting() -> [ID] {
        var started: [ID] = []
        while head < line.count {
            let next = line[head]
            if waiting[next.id] == next {
                guard fits(next.weight) else { break }
                waiting[next.id] = nil
                start(next.id, weight: next.weight)
                started.append(next.id)
            }
            head += 1
        }
        cutLine()
        return started
    }

    /// Drops the places that nobody holds, once they are most of the line: each is moved once on average.
    private mutating func cutLine() {
        if head * 2 >= line.count {
            line.removeFirst(head)
            head = 0
        }
        if line.count - head > 2 * waiting.count + 64 {
            line = line[head...].filter { waiting[$0.id] == $0 }
            head = 0
        }
    }
}
