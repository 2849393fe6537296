/// A queue with a fixed number of slots and a limit on the total weight of the running jobs.
///
/// Higher priorities start first, and within one priority the order is first come, first served.
///
/// Jobs don't overtake each other otherwise: a heavy job at the head holds up those behind it, so it can't starve. A
/// job that weighs more than the limit runs alone. A change moves the jobs that wait behind, which takes some
/// microseconds if there are 10,000.
package struct SlotQueue<ID: Hashable & Sendable>: Sendable {
    package let width: Int
    /// The largest total weight of running jobs. A change applies to jobs that start afterwards.
    package var weightLimit: Int

    private(set) var running: [ID: Int] = [:]
    private(set) var runningWeight = 0
    private(set) var line = SortedList<Rank, ID>()
    private(set) var waiting: [ID: (rank: Rank, weight: Int)] = [:]
    private var lastNumber = 0

    struct Rank: Comparable, Sendable {
        let priority: RequestPriority
        let number: Int

        static func < (one: Rank, other: Rank) -> Bool {
            one.priority == other.priority ? one.number < other.number : one.priority > other.priority
        }
    }

    /// - Parameters:
    ///   - width: The maximum number of running jobs; at least 1.
    ///   - weightLimit: The largest total weight of running jobs.
    package init(width: Int, weightLimit: Int = .max) {
        self.width = max(1, width)
        self.weightLimit = weightLimit
    }

    package var waitingCount: Int { waiting.count }
    /// The priority of the job that starts next.
    package var nextPriority: RequestPriority? { line.first.flatMap { waiting[$0]?.rank.priority } }

    /// Requests a slot. Returns true when `id` has one now, false when it waits. Requesting it again changes nothing.
    package mutating func request(_ id: ID, weight: Int = 0, priority: RequestPriority = .normal) -> Bool {
        if running[id] != nil { return true }
        if waiting[id] != nil { return false }
        if waiting.isEmpty, fits(weight) {
            start(id, weight: weight)
            return true
        }
        lastNumber += 1
        let rank = Rank(priority: priority, number: lastNumber)
        waiting[id] = (rank, weight)
        line.insert(id, rank: rank)
        // The new job may be light, and more urgent than a heavy one that waits for room.
        return startWaiting().contains(id)
    }

    /// Gives up a slot, or a position in the queue. Returns the jobs that may run now, in order. Unknown ids change
    /// nothing.
    package mutating func release(_ id: ID) -> [ID] {
        if let weight = running.removeValue(forKey: id) {
            runningWeight -= weight
        } else if let place = waiting.removeValue(forKey: id) {
            line.remove(rank: place.rank)
        } else {
            return []
        }
        return startWaiting()
    }

    /// Changes the priority of a waiting job, which keeps its arrival order. Returns the jobs that may run now, in
    /// order.
    package mutating func setPriority(_ priority: RequestPriority, of id: ID) -> [ID] {
        guard var place = waiting[id], place.rank.priority != priority else { return [] }
        line.remove(rank: place.rank)
        place.rank = Rank(priority: priority, number: place.rank.number)
        waiting[id] = place
        line.insert(id, rank: place.rank)
        return startWaiting()
    }

    func fits(_ weight: Int) -> Bool {
        running.isEmpty || (running.count < width && weight <= weightLimit - runningWeight)
    }

    private mutating func start(_ id: ID, weight: Int) {
        running[id] = weight
        runningWeight += weight
    }

    private mutating func startWaiting() -> [ID] {
        var started: [ID] = []
        while let id = line.first, let place = waiting[id], fits(place.weight) {
            _ = line.removeFirst()
            waiting[id] = nil
            start(id, weight: place.weight)
            started.append(id)
        }
        return started
    }
}
