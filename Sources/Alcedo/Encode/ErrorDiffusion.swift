/// Distributes each pixel's color error to the pixels after it, by Floyd and Steinberg's weights: 7/16 to the next
/// pixel, and 3/16, 5/16 and 1/16 to the three below.
struct ErrorDiffusion {
    /// The errors in sixteenths, for each pixel of this row and of the next one, with one extra entry on either side.
    private var row: [SIMD4<Int32>]
    private var below: [SIMD4<Int32>]

    init(width: Int) {
        row = Array(repeating: .zero, count: width + 2)
        below = row
    }

    /// The wanted color at `column`: the pixel's own color plus the errors distributed to it.
    func wanted(_ color: UInt32, at column: Int) -> SIMD4<Int32> {
        let sum = SIMD4(color: color) &+ ((row[column + 1] &+ 8) &>> 4)
        return sum.clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
    }

    /// Distributes the error of using `color` instead of `wanted`.
    mutating func spread(_ wanted: SIMD4<Int32>, _ color: UInt32, from column: Int) {
        let lack = wanted &- SIMD4(color: color)
        row[column + 2] &+= lack &* 7
        below[column] &+= lack &* 3
        below[column + 1] &+= lack &* 5
        below[column + 2] &+= lack
    }

    mutating func goToNextRow() {
        swap(&row, &below)
        for index in below.indices { below[index] = .zero }
    }
}

extension SIMD4<Int32> {
    /// Red, green and blue of a color in memory order, and 0.
    init(color: UInt32) {
        self.init(Int32(color & 255), Int32(color >> 8 & 255), Int32(color >> 16 & 255), 0)
    }
}
