/// The unit of a value, either per operation or for all operations.
enum MeasuredUnit: String, Sendable, Codable {
    case nanoseconds = "ns"
    case bytes
    case percent
    case decibels = "dB"
    case count
}
