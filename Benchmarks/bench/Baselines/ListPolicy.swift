/// Evicts in list order, as most caches do. Requests are numbers from zero, so the list is two arrays.
struct ListPolicy: ReplayPolicy {
    /// The effect of a hit, and of an eviction at the end of the list.
    enum Order: String, CaseIterable, Sendable {
        /// A hit moves to the front.
        case lru = "LRU"
        /// A hit marks the entry; a marked entry at the end moves to the front once more, without its mark. This is
        /// Nuke's order.
        case clock = "CLOCK"
        /// A hit has no effect.
        case fifo = "FIFO"
    }

    private let order: Order
    private let limit: Int
    private let sizes: [Int]
    private var total = 0
    /// The neighbors towards the front and the end. The last element is the list's sentinel, before the front.
    private var newer: [Int]
    private var older: [Int]
    private var isHeld: [Bool]
    private var isMarked: [Bool]

    init(_ order: Order, limit: Int, sizes: [Int]) {
        self.order = order
        self.limit = limit
        self.sizes = sizes
        newer = Array(repeating: sizes.count, count: sizes.count + 1)
        older = newer
        isHeld = Array(repeating: false, count: sizes.count)
        isMarked = isHeld
    }

    mutating func request(_ object: Int) -> Bool {
        if isHeld[object] {
            switch order {
            case .lru:
                unlink(object)
                pushFront(object)
            case .clock: isMarked[object] = true
            case .fifo: break
            }
            return true
        }
        guard sizes[object] <= limit else { return false }
        while total > limit - sizes[object] { evictOne() }
        total += sizes[object]
        isHeld[object] = true
        pushFront(object)
        return false
    }

    private mutating func evictOne() {
        while true {
            let end = newer[sizes.count]
            unlink(end)
            if isMarked[end] {
                isMarked[end] = false
                pushFront(end)
                continue
            }
            isHeld[end] = false
            total -= sizes[end]
            return
        }
    }

    private mutating func pushFront(_ object: Int) {
        let front = older[sizes.count]
        older[object] = front
        newer[object] = sizes.count
        newer[front] = object
        older[sizes.count] = object
    }

    private mutating func unlink(_ object: Int) {
        newer[older[object]] = newer[object]
        older[newer[object]] = older[object]
    }
}
