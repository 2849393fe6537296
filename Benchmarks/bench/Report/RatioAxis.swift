import Foundation

/// A logarithmic scale of ratios, with bars that begin at 1.
struct RatioAxis {
    let left: Double
    let width: Double
    /// The factor at which the scale ends in both directions. Longer bars are cut.
    private let limit = 16.0

    init(left: Double, width: Double) { (self.left, self.width) = (left, width) }

    /// Vertical lines with their factors below.
    func grid(y: Double, height: Double) -> [String] {
        [1 / limit, 0.25, 1, 4, limit].flatMap { factor in
            let place = left + position(of: factor)
            return [
                SVG.line(x: place, y: y, "v", length: height, color: factor == 1 ? "#999" : "#e4e4e4"),
                SVG.label(name(of: factor), x: place, y: y + height + 13, anchor: "middle"),
            ]
        }
    }

    /// A bar to the left for a ratio below 1, and to the right for one above, with its value.
    func bar(_ ratio: Double, middle: Double, height: Double = 14) -> [String] {
        let (one, end) = (position(of: 1), position(of: ratio))
        let bar = SVG.bar(
            x: left + min(one, end), y: middle - height / 2, width: abs(end - one), height: height,
            color: ratio <= 1 ? "#0b6e8a" : "#e08e2b")
        // The label is on the other side of the line, where there is always room.
        let label = SVG.label(
            NumberFormat.ratio(ratio), x: left + one + (ratio <= 1 ? 4 : -4), y: middle + 4,
            anchor: ratio <= 1 ? "start" : "end")
        return [bar, label]
    }

    private func position(of factor: Double) -> Double {
        let clamped = min(limit, max(1 / limit, factor))
        return width * (0.5 + log2(clamped) / log2(limit) / 2)
    }

    private func name(of factor: Double) -> String {
        factor < 1 ? "1/\(NumberFormat.fixed(1 / factor, 0))" : NumberFormat.fixed(factor, 0)
    }
}
