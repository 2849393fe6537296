/// A cache as a replay sees it.
protocol ReplayPolicy {
    /// Asks for an object, which is there afterwards if the policy takes it.
    ///
    /// - Returns: whether it was there.
    mutating func request(_ object: Int) -> Bool
}

/// The parts of a trace's requests, and of their bytes, that a cache had.
struct HitRatio: Sendable {
    let objects: Double
    let bytes: Double

    /// Asks for all of `trace`, in order.
    init(of trace: Trace, with policy: some ReplayPolicy) {
        var policy = policy
        var (hits, hitBytes, bytes) = (0, 0, 0)
        for object in trace.requests {
            bytes += trace.sizes[object]
            if policy.request(object) {
                hits += 1
                hitBytes += trace.sizes[object]
            }
        }
        objects = Double(hits) / Double(max(1, trace.requests.count))
        self.bytes = Double(hitBytes) / Double(max(1, bytes))
    }

    private init(objects: Double, bytes: Double) {
        self.objects = objects
        self.bytes = bytes
    }

    static let none = HitRatio(objects: 0, bytes: 0)

    subscript(_ measure: HitMeasure) -> Double { measure == .objects ? objects : bytes }
}

/// What a hit ratio counts.
enum HitMeasure: String, CaseIterable, Sendable { case objects, bytes }

/// The policies that are compared.
enum ReplayedPolicy: Hashable, Sendable {
    case ours
    case list(ListPolicy.Order)

    static let all: [ReplayedPolicy] = [.ours] + ListPolicy.Order.allCases.map { .list($0) }

    var name: String {
        switch self {
        case .ours: "Alcedo"
        case .list(let order): order.rawValue
        }
    }

    func replay(_ trace: Trace, limit: Int) -> HitRatio {
        switch self {
        case .ours: HitRatio(of: trace, with: TablePolicy(limit: limit, sizes: trace.sizes))
        case .list(let order): HitRatio(of: trace, with: ListPolicy(order, limit: limit, sizes: trace.sizes))
        }
    }
}
