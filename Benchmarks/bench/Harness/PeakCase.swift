/// A case that takes the peak resident memory of a process of its own.
struct PeakCase: Sendable {
    typealias Body = @Sendable () async throws -> Void

    /// What ours is compared to.
    enum Baseline: Sendable {
        /// Another body in a process of its own: both sides are less the peak of a process that does nothing.
        case child(String, Body)
        /// An external program: the whole processes' peaks are compared.
        case program(String, path: String, arguments: [String])

        var name: String {
            switch self {
            case .child(let name, _), .program(let name, _, _): name
            }
        }
    }

    let ours: Body
    let baseline: Baseline?
}
