/// The growth of costs as a table for people, in Markdown.
struct GrowthPage {
    let machine: Machine
    let rows: [GrowthRow]

    var text: String {
        let sizes = rows.first?.costs.map(\.size) ?? []
        var lines = [
            """
            # Cost growth

            Written by `make growth`: the processor time of one operation while there are 100 to 100,000 entries,
            waiters or queued downloads. The exponent is that of the total cost of as many operations as there are
            entries, fitted by least squares on logarithmic scales. 1 means that each operation costs the same,
            whatever their number; 2 would mean that it costs a thousand times as much with 100,000 as with 100. Misses
            of the processor's caches add to the exponent, too.

            \(machine.cpu), \(machine.cores) cores, \(machine.kernel), Swift \(machine.swift), \(machine.date).

            ![The growth of the same costs](growth.svg)

            """,
            row(["Operation"] + sizes.map(Self.grouped) + ["Exponent"]),
            row(["---"] + sizes.map { _ in "---:" } + ["---:"]),
        ]
        lines += rows.map { one in
            let exponent = one.exponent.map { NumberFormat.fixed($0, 2) } ?? ""
            return row([one.name] + one.costs.map { NumberFormat.quantity($0.cost, .nanoseconds) } + [exponent])
        }
        lines.append(
            """

            Finishing a flight sorts its waiters by arrival. The queue has ten hosts. Cancelling a queued download moves
            the downloads behind it for the same host.
            """)
        return lines.joined(separator: "\n") + "\n"
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private static func grouped(_ size: Int) -> String {
        size < 1_000 ? "\(size)" : "\(size / 1_000),\(String(size % 1_000 + 1_000).dropFirst())"
    }
}
