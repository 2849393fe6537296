@testable import Alcedo
@testable import TestFixtures

// Invariants of the downloads' memories between two calls.

extension RetryBudget {
    /// The number of hosts that have used retries.
    var hostCount: Int { accounts.count }

    func retriesLeft(for host: String) -> Int { (accounts[host]?.tenths ?? fullTenths) / 10 }

    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if accounts.count > hostLimit { return "too many hosts are kept" }
        let isSound = accounts.values.allSatisfy { (0..<fullTenths).contains($0.tenths) }
        return isSound ? nil : "an account is overdrawn, or full and kept"
    }
}

extension FailureMemory {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? { failures.count > capacity ? "there are too many" : nil }
}

extension PartialBodies {
    /// Describes a broken invariant, or nil when there is none.
    var brokenInvariant: String? {
        if byteCount > byteLimit { return "the limit is exceeded" }
        if parts.count > countLimit { return "there are too many" }
        return parts.values.reduce(0) { $0 + $1.partial.body.count } == byteCount ? nil : "the sizes do not add up"
    }
}
