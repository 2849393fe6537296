/// The cost of one kind of operation, by size.
struct GrowthRow {
    let name: String
    /// The processor time of one operation in nanoseconds, for each size.
    let costs: [(size: Int, cost: Double)]

    /// The exponent of the total cost of as many operations as there are entries: 1 if each costs the same.
    var exponent: Double? { PowerLaw(costs.map { (Double($0.size), Double($0.size) * $0.cost) })?.exponent }

    /// The cost of an operation relative to that with the fewest entries.
    var growth: [Double] {
        guard let first = costs.first?.cost, first > 0 else { return [] }
        return costs.map { $0.cost / first }
    }
}
