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

    /// When the calling Task is cancelled.
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

    /// - Parameter meanwhile: runs while the call waits, and lets it end unless a cancellation does that.
    init(
        _ end: End, cancelled cancellation: Cancellation = .never, _ call: @escaping Call,
        meanwhile: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.end = end
        self.cancellation = cancellation
        self.call = call
        self.meanwhile = meanwhile
    }

    /// Makes the call from `site`, where `resumption` makes a note before and after it, and returns how it ended.
    func run(from site: any Site, _ resumption: Resumption) async throws -> End {
        let caller = Task {
            if cancellation == .beforeTheCall { withUnsafeCurrentTask { $0?.cancel() } }
            return await site.run(call, resumption)
        }
        defer { caller.cancel() }
        // The first note is made in the turn that begins the call: in the next one, the call waits or has ended.
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

/// A public function with the scenarios that it is tested in.
struct Row: Sendable, CustomTestStringConvertible {
    typealias MakeScenario = @Sendable () async throws -> Scenario

    /// As ``PublicFunction/name`` has it.
    let name: String
    /// Each is made anew for each isolation.
    let scenarios: [MakeScenario]

    var testDescription: String { name }

    init(_ name: String, _ scenarios: MakeScenario...) {
        self.name = name
        self.scenarios = scenarios
    }
}
