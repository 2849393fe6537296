/// The experiment as an SVG bar chart: the requests of each tier, and the sources of each process's images.
struct ServerSidePicture {
    let result: ServerSideResult

    private let left = 200.0
    private let barLength = 520.0
    private let rowHeight = 24.0
    private let top = 62.0

    var text: String {
        let tiers = result.main.tiers
        let second = top + Double(tiers.count) * rowHeight + 74
        let shares = result.main.shares + machines
        return SVG.document(
            width: left + barLength + 150, height: second + Double(shares.count) * rowHeight + 20,
            title: "Requests of each tier, with loaders behind a caching proxy",
            panel(of: tiers) + panel(of: shares, y: second))
    }

    private var machines: [Share] {
        [
            result.later.share(ofMachine: 1, name: "later: machine 1"),
            result.later.share(ofMachine: 3, name: "later: machine 3, new"),
        ]
    }

    // MARK: Tiers

    private func panel(of tiers: [ServerSidePart.Tier]) -> [String] {
        var lines = [
            SVG.label("Requests that reached a tier, and those that it answered", x: 10, y: 24, bold: true),
            SVG.bar(x: left, y: 36, width: 12, height: 12, color: Self.dark),
            SVG.label("answered", x: left + 18, y: 46),
            SVG.bar(x: left + 100, y: 36, width: 12, height: 12, color: Self.pale),
            SVG.label("passed on", x: left + 118, y: 46),
        ]
        for (index, tier) in tiers.enumerated() {
            let y = top + Double(index) * rowHeight
            let (all, answered) = (length(tier.requests), length(tier.answered))
            lines.append(SVG.label(tier.name, x: left - 8, y: y + 14, anchor: "end"))
            lines.append(SVG.bar(x: left, y: y + 2, width: all, height: 16, color: Self.pale))
            lines.append(SVG.bar(x: left, y: y + 2, width: answered, height: 16, color: Self.dark))
            lines.append(SVG.label("\(tier.answered) of \(tier.requests)", x: left + all + 8, y: y + 14))
        }
        let y = top + Double(tiers.count) * rowHeight
        let count = result.main.originRequests.count
        lines.append(SVG.label("with background updates", x: left - 8, y: y + 14, anchor: "end"))
        lines.append(SVG.bar(x: left, y: y + 2, width: length(count), height: 16, color: Self.orange))
        lines.append(SVG.label("\(count) seen by the origin", x: left + length(count) + 8, y: y + 14))
        return lines
    }

    private func length(_ requests: Int) -> Double {
        barLength * Double(requests) / Double(max(1, result.main.requests))
    }

    // MARK: Processes

    private func panel(of shares: [Share], y top: Double) -> [String] {
        var lines = [SVG.label("Where the images of each process came from", x: 10, y: top - 30, bold: true)]
        for (index, origin) in Share.Origin.allCases.enumerated() {
            let x = left + Double(index) * 100
            lines.append(SVG.bar(x: x, y: top - 18, width: 12, height: 12, color: color(origin)))
            lines.append(SVG.label("\(origin)", x: x + 18, y: top - 8))
        }
        for (index, share) in shares.enumerated() {
            let y = top + Double(index) * rowHeight
            lines.append(SVG.label(share.name, x: left - 8, y: y + 14, anchor: "end"))
            var x = left
            for origin in Share.Origin.allCases {
                let width = barLength * Double(share.count(origin)) / Double(max(1, share.answers.count))
                lines.append(SVG.bar(x: x, y: y + 2, width: width, height: 16, color: color(origin)))
                x += width
            }
            lines.append(SVG.label("\(share.answers.count) requests", x: left + barLength + 8, y: y + 14))
        }
        return lines
    }

    private func color(_ origin: Share.Origin) -> String {
        switch origin {
        case .memory: Self.dark
        case .disk: "#5fb0c6"
        case .confirmed: "#f3cf9b"
        case .fetched: Self.orange
        case .shared: "#8a8f98"
        }
    }

    private static let dark = "#0b6e8a"
    private static let pale = "#d7e6ea"
    private static let orange = "#e08e2b"
}
