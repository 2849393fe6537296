/// The limit for something that can be counted in a case.
struct GateLimit: Equatable {
    enum Quantity: String {
        /// Allocator calls per operation.
        case allocations
        /// Processor instructions per operation, in cases that never suspend.
        case instructions
        /// Bytes of heap, as measured by the case itself.
        case bytes
    }

    let name: String
    let quantity: Quantity
    let most: Double

    /// Reads lines such as `pipeline/miss-tiny allocations 40`. Text after `#` is a comment.
    static func limits(in text: String) throws(BenchError) -> [GateLimit] {
        var limits: [GateLimit] = []
        for line in text.split(separator: "\n") {
            let words = line.prefix { $0 != "#" }.split(separator: " ")
            if words.isEmpty { continue }
            guard words.count == 3, let quantity = Quantity(rawValue: String(words[1])), let most = Double(words[2])
            else {
                throw BenchError("not a case, a quantity and a number: \(line)")
            }
            limits.append(GateLimit(name: String(words[0]), quantity: quantity, most: most))
        }
        return limits
    }
}
