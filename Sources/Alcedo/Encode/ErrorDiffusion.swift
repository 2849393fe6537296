/// Hands on what a pixel's colour lacks to those that come after it, by Floyd and Steinberg's shares: 7/16 to the next
/// one, and 3, 5 and 1 to the three below.
struct ErrorDiffusion {
    /// In sixteenths, for each pixel of this row and of the next one, with one more on either side.
    private var row: [SIMD4<Int32>]
    private var below: [SIMD4<Int32>]

    init(width: Int) {
        row = Array(repeating: .zero, count: width + 2)
        below = row
    }

    /// What is to stand at `column`: its colour, and what those before it lack.
    func wanted(_ colour: UInt32, at column: Int) -> SIMD4<Int32> {
        let sum = SIMD4(colour: colour) &+ ((row[column + 1] &+ 8) &>> 4)
        return sum.clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
    }

    /// `colour` stands there instead.
    mutating func spread(_ wanted: SIMD4<Int32>, _ colour: UInt32, from column: Int) {
        let lack = wanted &- SIMD4(colour: colour)
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
    /// Red, green and blue of a colour as it lies in memory, and 0.
    init(colour: UInt32) {
        self.init(Int32(colour & 255), Int32(colour >> 8 & 255), Int32(colour >> 16 & 255), 0)
    }
}
