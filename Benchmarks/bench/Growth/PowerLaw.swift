import Foundation

/// The curve `factor × size ^ exponent` that fits measured costs best.
struct PowerLaw {
    let exponent: Double

    /// Fits by least squares on logarithmic scales. Nil unless there are two different sizes, and only positive values.
    init?(_ points: [(size: Double, cost: Double)]) {
        guard points.allSatisfy({ $0.size > 0 && $0.cost > 0 }), !points.isEmpty else { return nil }
        let logs = points.map { (x: log($0.size), y: log($0.cost)) }
        let count = Double(logs.count)
        let mean = (x: logs.reduce(0) { $0 + $1.x } / count, y: logs.reduce(0) { $0 + $1.y } / count)
        let spread = logs.reduce(0) { $0 + ($1.x - mean.x) * ($1.x - mean.x) }
        guard spread > 0 else { return nil }
        exponent = logs.reduce(0) { $0 + ($1.x - mean.x) * ($1.y - mean.y) } / spread
    }
}
