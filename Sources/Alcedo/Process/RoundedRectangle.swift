import Foundation

/// A rectangle with circular corners, which knows how much of each pixel it covers.
///
/// Areas are exact, so that edges have no steps.
struct RoundedRectangle: Sendable {
    private let left: Double
    private let top: Double
    private let right: Double
    private let bottom: Double
    private let corners: [Corner]

    fileprivate struct Corner: Sendable {
        let radius: Double
        /// The circle's center.
        let x: Double
        let y: Double
        let isLeft: Bool
        let isTop: Bool
    }

    /// A rectangle that fills an image, apart from `inset` pixels on each side.
    ///
    /// - Parameter radii: The radii of the corners at the top left, top right, bottom left and bottom right, before the
    ///   inset. If two corners don't fit side by side, all radii are reduced by the same factor, as in CSS.
    init(_ size: PixelSize, radii: SIMD4<Double>, inset: Double = 0) {
        let (width, height) = (Double(size.width), Double(size.height))
        (left, top, right, bottom) = (inset, inset, width - inset, height - inset)
        let sides = [
            (width, radii[0] + radii[1]), (width, radii[2] + radii[3]), (height, radii[0] + radii[2]),
            (height, radii[1] + radii[3]),
        ]
        let factor = sides.reduce(1) { factor, side in side.1 > side.0 ? min(factor, side.0 / side.1) : factor }
        var corners: [Corner] = []
        for index in 0..<4 {
            let radius = radii[index] * factor - inset
            guard radius > 0 else { continue }
            let (isLeft, isTop) = (index % 2 == 0, index < 2)
            corners.append(
                Corner(
                    radius: radius, x: isLeft ? left + radius : right - radius,
                    y: isTop ? top + radius : bottom - radius, isLeft: isLeft, isTop: isTop))
        }
        self.corners = corners
    }

    /// Whether the row is covered from the left to the right edge of the image if there is no inset.
    func isPlain(_ row: Int) -> Bool {
        corners.allSatisfy { $0.isTop ? Double(row) >= $0.y : Double(row + 1) <= $0.y }
    }

    /// Writes how much of each pixel of a row is covered as the pixel's alpha; the colors are black.
    ///
    /// - Parameter scratch: Room for `count` numbers.
    func cover(
        _ row: Int, _ count: Int, _ scratch: UnsafeMutablePointer<Float>, to target: UnsafeMutablePointer<UInt32>
    ) {
        let (low, high) = (max(top, Double(row)), min(bottom, Double(row + 1)))
        guard low < high, left < right else { return target.update(repeating: 0, count: count) }
        scratch.update(repeating: Float(high - low), count: count)
        trimSides(count, scratch)
        for corner in corners { corner.cut(low, high, count, scratch) }
        for index in 0..<count {
            target[index] = ((scratch[index] * 255).clamped(to: 255).roundedBits << 24).littleEndian
        }
    }

    /// Subtracts the area left of the left edge and right of the right edge.
    private func trimSides(_ count: Int, _ numbers: UnsafeMutablePointer<Float>) {
        let height = numbers[0]
        for index in 0..<min(count, Int(left.rounded(.up))) {
            numbers[index] -= height * Float(min(1, left - Double(index)))
        }
        for index in max(0, Int(right.rounded(.down)))..<count {
            numbers[index] -= height * Float(min(1, Double(index + 1) - right))
        }
    }
}

extension RoundedRectangle.Corner {
    /// Subtracts the area outside the circle, between two heights in the image, from the pixels of a row.
    func cut(_ top: Double, _ bottom: Double, _ count: Int, _ numbers: UnsafeMutablePointer<Float>) {
        // Distances from the center, up or down.
        let (from, to) = isTop ? (y - bottom, y - top) : (top - y, bottom - y)
        let (low, high) = (max(0, from), min(radius, to))
        guard low < high else { return }
        // The distance at which the circle's edge leaves the heights. Closer to the center, nothing is subtracted.
        let inner = (radius * radius - high * high).squareRoot()
        // The ends of the columns from which area is subtracted.
        let first = isLeft ? x - radius : x + inner
        let last = isLeft ? x - inner : x + radius
        for column in max(0, Int(first.rounded(.down)))..<max(0, min(count, Int(last.rounded(.up)))) {
            let start = isLeft ? x - Double(column + 1) : Double(column) - x
            numbers[column] -= Float(outside(max(0, start), min(radius, start + 1), low, high))
        }
    }

    /// The area outside the circle within a rectangle that is given by distances from the center.
    private func outside(_ start: Double, _ end: Double, _ low: Double, _ high: Double) -> Double {
        guard start < end else { return 0 }
        // Between these distances, the circle's edge lies within the heights.
        let inner = (radius * radius - high * high).squareRoot()
        let outer = (radius * radius - low * low).squareRoot()
        let (from, to) = (min(max(inner, start), end), min(max(outer, start), end))
        let whole = (end - to) * (high - low)
        guard from < to else { return whole }
        return max(0, whole + (to - from) * high - (area(to) - area(from)))
    }

    /// The area below the circle's edge, from the center to a distance.
    private func area(_ distance: Double) -> Double {
        let height = max(0, radius * radius - distance * distance).squareRoot()
        return (distance * height + radius * radius * asin(min(1, distance / radius))) / 2
    }
}
