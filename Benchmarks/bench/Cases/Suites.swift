/// Every case, in the order of the table.
enum Suites {
    static let all: [BenchCase] = HarnessCases.all
}
