/// A cache, as used by a replay.
protocol ReplayPolicy {
    /// Requests an object, which is cached afterwards if the policy admits it.
    ///
    /// - Returns: Whether it was already cached.
    mutating func request(_ object: Int) -> Bool
}

/// The shares of a trace's requests, and of their bytes, that were hits.
struct HitRatio: Sendable {
    let objects: Double
    let bytes: Double

    /// Requests all objects of `trace`, in order.
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

/// The unit in which a hit ratio counts.
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
