import Foundation
import Testing

/// The fitted exponent of growing costs, and the table of it.
@Suite struct GrowthTests {
    private let sizes = [100, 1_000, 10_000, 100_000]

    private func exponent(_ cost: (Double) -> Double) -> Double? {
        PowerLaw(sizes.map { (Double($0), cost(Double($0))) })?.exponent
    }

    @Test(arguments: [0, 0.5, 1, 1.3, 2]) func exponent_isFound(exponent: Double) throws {
        let fitted = try #require(self.exponent { 7 * pow($0, exponent) })
        #expect(abs(fitted - exponent) < 1e-9)
    }

    /// n log n from 100 to 100,000.
    @Test func sorting_isLittleAboveOne() throws {
        let fitted = try #require(exponent { $0 * log($0) })
        #expect(fitted > 1.1 && fitted < 1.2)
    }

    @Test func nothingIsFitted_toOneSizeOrToNoCost() {
        #expect(PowerLaw([])?.exponent == nil)
        #expect(PowerLaw([(100, 5), (100, 6)])?.exponent == nil)
        #expect(PowerLaw([(100, 5), (1_000, 0)])?.exponent == nil)
    }

    /// The exponent in the table is that of the total cost, while its cells are costs of one operation.
    @Test func page_hasCostsOfOneOperation_andExponentOfAll() {
        let costs = sizes.map { (size: $0, cost: 20.0) }
        let machine = Machine(
            cpu: "Test", cores: 2, memoryBytes: 1, kernel: "Linux", swift: "6.3", date: "today", loadAverage: [])
        let text = GrowthPage(machine: machine, rows: [GrowthRow(name: "look-up", costs: costs)]).text
        #expect(text.contains("| Operation | 100 | 1,000 | 10,000 | 100,000 | Exponent |"))
        #expect(text.contains("| look-up | 20.0 ns | 20.0 ns | 20.0 ns | 20.0 ns | 1.00 |"))
    }
}
