import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// The stores that take the place of the disk cache in tests of loaders.
enum StoreKind: String, CaseIterable, Codable, Sendable {
    case memory, wrappedDisk

    /// The store of the fixtures that the current test makes; nil for the disk cache.
    @TaskLocal static var current: StoreKind?

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - directory: For stores that keep files.
    ///   - calls: The system calls of stores that keep files.
    func makeStore(
        in directory: TemporaryDirectory, byteLimit: Int = 1 << 30, calls: any SystemCalls = PosixSystemCalls(),
        time: TimeSource = TimeSource()
    ) -> any ImageStore {
        switch self {
        case .memory:
            InMemoryStore(maximumBytes: byteLimit) {
                Date(timeIntervalSince1970: TimeInterval(time.secondsSince1970()))
            }
        case .wrappedDisk:
            WrappedStore(
                DiskStore(valid: .bare(directory.file("\(UUID())"), byteLimit: byteLimit), calls: calls, time: time))
        }
    }
}

/// Runs a test again over each store of ``StoreKind``, unless it has the trait ``NeedsDiskCache``.
struct OverEachStore: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await function()
        if test.traits.contains(where: { $0 is NeedsDiskCache }) { return }
        for kind in StoreKind.allCases {
            let named: IssueHandlingTrait = .compactMapIssues { issue in
                var issue = issue
                issue.comments.append("over the store \(kind)")
                return issue
            }
            try await StoreKind.$current.withValue(kind) {
                try await named.provideScope(for: test, testCase: testCase, performing: function)
            }
        }
    }
}

/// Marks a test that looks into the disk cache itself; see ``OverEachStore``.
struct NeedsDiskCache: TestTrait {}

extension Trait where Self == OverEachStore {
    /// See ``OverEachStore``.
    static var overEachStore: Self { Self() }
}

extension Trait where Self == NeedsDiskCache {
    /// See ``NeedsDiskCache``.
    static var needsDiskCache: Self { Self() }
}
