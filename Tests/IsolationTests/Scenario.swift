import Alcedo
import Testing

/// A call that ends in a known way.
struct Scenario: Sendable {
    enum End: Sendable, Equatable {
        case value
        case error
        /// The error of a call whose Task was cancelled.
        case cancelled
    }

    /// The time at which the calling Task is cancelled.
    enum Cancellation: Sendable {
        case never
        case beforeTheCall
        /// After `meanwhile`.
        case whileItWaits
    }

    let end: End
    let cancellation: Cancellation
    private let call: Call
    private let meanwhile: @Sendable () async throws -> Void

    /// - Parameter meanwhile: Runs while the call waits, and makes it end unless a cancellation does that.
    init(
        _ end: End, cancelled cancellation: Cancellation = .never, _ call: @escaping Call,
        meanwhile: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.end = end
        self.cancellation = cancellation
        self.call = call
        self.meanwhile = meanwhile
    }

    /// Makes the call from `site`, with a note in `resumption` before and after it, and returns how it ended.
    func run(from site: any Site, _ resumption: Resumption) async throws -> End {
        let caller = Task {
            if cancellation == .beforeTheCall { withUnsafeCurrentTask { $0?.cancel() } }
            return await site.run(call, resumption)
        }
        defer { caller.cancel() }
        // The first note is recorded in the turn that begins the call. By the next turn, the call waits or has ended.
        await resumption.untilNoted()
        await site.turn()
        try await meanwhile()
        if cancellation == .whileItWaits { caller.cancel() }
        switch await caller.value {
        case .success: return .value
        case .failure(let error as ImageLoaderError) where error == .cancelled: return .cancelled
        case .failure(is CancellationError): return .cancelled
        case .failure: return .error
        }
    }
}

/// A public function, with the scenarios in which it is tested.
struct Row: Sendable, CustomTestStringConvertible {
    typealias MakeScenario = @Sendable () async throws -> Scenario

    /// The name, as in ``PublicFunction/name``.
    let name: String
    /// The scenarios, which are created anew for each isolation.
    let scenarios: [MakeScenario]

    var testDescription: String { name }

    init(_ name: String, _ scenarios: MakeScenario...) {
        self.name = name
        self.scenarios = scenarios
    }
}
