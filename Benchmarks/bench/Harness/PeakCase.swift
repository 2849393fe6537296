/// A case that measures the peak resident memory, the processor time or the threads of a separate process.
struct PeakCase: Sendable {
    /// The measured quantity.
    enum Quantity: Sendable {
        case peakBytes
        /// User and system time, of all threads.
        case processorTime
        /// The number of threads when `ours` or the baseline has ended.
        case threads

        var unit: MeasuredUnit {
            switch self {
            case .peakBytes: .bytes
            case .processorTime: .nanoseconds
            case .threads: .count
            }
        }
    }

    /// The work of one side. Its argument is the path of the folder with the files that the case has prepared.
    typealias Body = @Sendable (_ folder: String) async throws -> Void

    enum Baseline: Sendable {
        /// Another body in a separate process: the peak of a process that does nothing is subtracted from both sides.
        case child(String, Body)
        /// An external program; whole processes are compared. It gets the path of the folder too.
        case program(String, path: String, arguments: @Sendable (_ folder: String) -> [String])

        var name: String {
            switch self {
            case .child(let name, _), .program(let name, _, _): name
            }
        }
    }

    var quantity = Quantity.peakBytes
    /// Writes the files that both sides need; nil if they need none. Runs in the process that measures nothing.
    var prepare: Body?
    let ours: Body
    let baseline: Baseline?
}
