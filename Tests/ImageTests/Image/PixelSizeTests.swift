import Testing

@testable import Alcedo
@testable import TestFixtures

struct PixelSizeTests {
    @Test(arguments: [
        (
            PixelSize(width: 4_000, height: 3_000), PixelSize(width: 400, height: 400),
            PixelSize(width: 400, height: 300)
        ),
        (
            PixelSize(width: 3_000, height: 4_000), PixelSize(width: 400, height: 400),
            PixelSize(width: 300, height: 400)
        ),
        (PixelSize(width: 4_000, height: 3_000), PixelSize(width: 9_999, height: 30), PixelSize(width: 40, height: 30)),
        // To the nearest, not down: 666.67 and 333.33.
        (PixelSize(width: 3, height: 2), PixelSize(width: 1, height: 9), PixelSize(width: 1, height: 1)),
        (PixelSize(width: 300, height: 200), PixelSize(width: 100, height: 99), PixelSize(width: 100, height: 67)),
        (PixelSize(width: 300, height: 100), PixelSize(width: 100, height: 99), PixelSize(width: 100, height: 33)),
        // Never larger.
        (PixelSize(width: 30, height: 20), PixelSize(width: 31, height: 20), PixelSize(width: 30, height: 20)),
        (PixelSize(width: 30, height: 20), PixelSize(width: .max, height: .max), PixelSize(width: 30, height: 20)),
        // Never nothing.
        (PixelSize(width: 4_000, height: 1), PixelSize(width: 4, height: 4), PixelSize(width: 4, height: 1)),
        (PixelSize(width: 1, height: 4_000), PixelSize(width: 4, height: 4), PixelSize(width: 1, height: 4)),
        (PixelSize(width: 30, height: 20), PixelSize(width: 0, height: -5), PixelSize(width: 1, height: 1)),
        (PixelSize(width: 0, height: -1), PixelSize(width: 9, height: 9), PixelSize(width: 1, height: 1)),
        (PixelSize(width: .max, height: .max), PixelSize(width: 7, height: 9), PixelSize(width: 7, height: 7)),
        (
            PixelSize(width: .max, height: 1), PixelSize(width: .max - 1, height: 9),
            PixelSize(width: .max - 1, height: 1)
        ),
    ])
    func size_fits(_ size: PixelSize, _ target: PixelSize, _ expected: PixelSize) {
        #expect(size.fitting(within: target) == expected)
    }

    @Test func fittedSize_liesWithinTarget() {
        for width in stride(from: 1, to: 400, by: 7) {
            for height in stride(from: 1, to: 400, by: 11) {
                let size = PixelSize(width: width, height: height)
                let target = PixelSize(width: 123, height: 45)
                let fitted = size.fitting(within: target)
                let isWithin = fitted.width <= min(width, 123) && fitted.height <= min(height, 45)
                let touches = fitted == size || fitted.width == 123 || fitted.height == 45
                must(isWithin && touches && fitted.fitting(within: target) == fitted, "\(size): \(fitted)")
            }
        }
    }
}
