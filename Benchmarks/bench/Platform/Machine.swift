/// The place and time of a run.
struct Machine: Codable {
    let cpu: String
    let cores: Int
    let memoryBytes: UInt64
    let kernel: String
    let swift: String
    let date: String
    /// The load averages over 1, 5 and 15 minutes, at the start of the run.
    let loadAverage: [Double]

    enum CodingKeys: String, CodingKey {
        case cpu, cores
        case memoryBytes = "memory_bytes"
        case kernel, swift, date
        case loadAverage = "load_average"
    }
}
