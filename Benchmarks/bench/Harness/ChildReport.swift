/// The line in which a child process reports its own measurements to its parent.
struct ChildReport: Equatable {
    let peakBytes: Int
    let processorNanoseconds: Int
    let threads: Int
    let allocations: Int?

    private static let mark = "bench-child"

    init(peakBytes: Int, processorNanoseconds: Int, threads: Int, allocations: Int?) {
        self.peakBytes = peakBytes
        self.processorNanoseconds = processorNanoseconds
        self.threads = threads
        self.allocations = allocations
    }

    /// Finds the report in a child's output, which may also contain output of the measured body.
    init?(output: [UInt8]) {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        guard let fields = lines.last?.split(separator: " "), fields.count == 5, fields[0] == Self.mark,
            let peak = Int(fields[1]), let time = Int(fields[2]), let threads = Int(fields[3])
        else { return nil }
        self.init(peakBytes: peak, processorNanoseconds: time, threads: threads, allocations: Int(fields[4]))
    }

    /// The report as a line. It starts on a new line, whatever was printed before.
    var line: String {
        "\n\(Self.mark) \(peakBytes) \(processorNanoseconds) \(threads) \(allocations.map(String.init) ?? "-")\n"
    }
}
