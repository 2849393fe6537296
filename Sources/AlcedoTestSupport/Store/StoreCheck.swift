public import Alcedo

/// Checks a store against the requirements of `ImageStore`, for authors of stores.
///
/// It stores, finds and removes entries as a loader does, some of them from several Tasks at the same time.
public struct StoreCheck: Sendable {
    private let writers: Int
    private let maximumBytes: Int?
    private let makeStore: @Sendable () async throws(ImageLoaderError) -> any ImageStore

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - writers: The number of Tasks that use a store at the same time.
    ///   - maximumBytes: The limit of the stores in bytes, at least a million; nil if they have none.
    ///   - makeStore: Makes an empty store. Called once for each requirement.
    public init(
        writers: Int = 8, maximumBytes: Int? = nil,
        _ makeStore: @escaping @Sendable () async throws(ImageLoaderError) -> any ImageStore
    ) {
        self.writers = writers
        self.maximumBytes = maximumBytes
        self.makeStore = makeStore
    }

    /// Returns the problems found; empty if there are none.
    ///
    /// Makes some thousand calls, and waits for each of them. Cancelling doesn't shorten the wait.
    @concurrent public func problems() async -> [StoreProblem] {
        var problems: [StoreProblem] = []
        for step in Step.allCases {
            do throws(ImageLoaderError) {
                let trial = StoreTrial(try await makeStore())
                defer { problems += trial.problems }
                try await check(step, in: trial)
            } catch {
                problems.append(StoreProblem(rule: .errors, detail: "\(error)"))
            }
        }
        return problems
    }

    /// The parts of the check, each with a store of its own.
    private enum Step: CaseIterable {
        case entries, bodies, replacement, renewal, selections, removalOfAll, writers, removedEntries, cancellation
        case limit
    }

    private func check(_ step: Step, in trial: StoreTrial) async throws(ImageLoaderError) {
        switch step {
        case .entries: try await trial.checkEntries()
        case .bodies: try await trial.checkBodies()
        case .replacement: try await trial.checkReplacement()
        case .renewal: try await trial.checkRenewal()
        case .selections: try await trial.checkSelections()
        case .removalOfAll: try await trial.checkRemovalOfAll()
        case .writers: try await trial.checkWriters(writers)
        case .removedEntries: try await trial.checkRemovedEntries(writers)
        case .cancellation: try await trial.checkCancellation(writers)
        case .limit: if let maximumBytes { try await trial.checkLimit(maximumBytes) }
        }
    }
}
