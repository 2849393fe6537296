/// A case that takes the peak resident memory, or the processor time, of a process of its own.
struct PeakCase: Sendable {
    /// What is taken of the process.
    enum Quantity: Sendable {
        case peakBytes
        /// User and system time, of all threads.
        case processorTime
    }

    /// Gets the path of a folder in which what the case has prepared lies.
    typealias Body = @Sendable (_ folder: String) async throws -> Void

    /// What ours is compared to.
    enum Baseline: Sendable {
        /// Another body in a process of its own: both sides are less the peak of a process that does nothing.
        case child(String, Body)
        /// An external program: the whole processes are compared. It gets the folder too.
        case program(String, path: String, arguments: @Sendable (_ folder: String) -> [String])

        var name: String {
            switch self {
            case .child(let name, _), .program(let name, _, _): name
            }
        }
    }

    var quantity = Quantity.peakBytes
    /// Writes the files that both sides need; nil when they need none. Runs in the process that measures none.
    var prepare: Body?
    let ours: Body
    let baseline: Baseline?
}
