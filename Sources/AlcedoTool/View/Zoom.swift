import Alcedo

/// The visible part of an enlarged image.
struct Zoom: Equatable {
    /// The number of times the sides of the part were halved.
    private(set) var steps = 0
    /// The middle of the part, as fractions of the image's sides.
    private var (x, y) = (0.5, 0.5)

    private static let mostSteps = 8

    var isZoomed: Bool { steps > 0 }

    /// The sides of the part, as a fraction of the image's sides.
    private var share: Double { 1 / Double(1 << steps) }

    mutating func change(by step: Int) {
        steps = min(max(0, steps + step), Self.mostSteps)
        pan(0, 0)
    }

    /// Moves the part by quarters of its sides.
    mutating func pan(_ right: Int, _ down: Int) {
        func moved(_ middle: Double, _ quarters: Int) -> Double {
            min(max(share / 2, middle + Double(quarters) / 4 * share), 1 - share / 2)
        }
        (x, y) = (moved(x, right), moved(y, down))
    }

    /// The part of an image of that size; nil for the whole image.
    func region(of size: PixelSize) -> PixelRectangle? {
        guard isZoomed else { return nil }
        let (width, height) = (max(1, size.width >> steps), max(1, size.height >> steps))
        func start(_ middle: Double, _ length: Int, _ whole: Int) -> Int {
            min(max(0, Int((middle * Double(whole)).rounded()) - length / 2), whole - length)
        }
        return PixelRectangle(
            x: start(x, width, size.width), y: start(y, height, size.height), width: width, height: height)
    }
}
