/// The retries left for each host, by its name in normal form; see ``RetryPolicy/hostBudget``.
///
/// Only hosts that have used retries are stored. When there are too many, the one that changed least recently is
/// removed and so starts over.
package struct RetryBudget: Sendable {
    /// A host's remaining retries, in tenths.
    struct Account: Sendable {
        var tenths: Int
        var lastChange: UInt64
    }

    let fullTenths: Int
    let hostLimit: Int
    private(set) var accounts: [String: Account] = [:]
    private var tick: UInt64 = 0

    package init(retries: Int, hostLimit: Int = 1000) {
        fullTenths = min(max(0, retries), Self.mostRetries) * Self.tenthsOfRetry
        self.hostLimit = max(1, hostLimit)
    }

    /// Takes one retry. Returns false when less than one is left.
    package mutating func take(from host: String) -> Bool {
        let left = tenths(of: host) - Self.tenthsOfRetry
        guard left >= 0 else { return false }
        set(left, for: host)
        return true
    }

    /// Returns a tenth of a retry for a download that succeeded.
    package mutating func recordSuccess(of host: String) {
        guard let account = accounts[host] else { return }
        set(account.tenths + 1, for: host)
    }

    private static var tenthsOfRetry: Int { 10 }
    private static var mostRetries: Int { 1_000_000 }

    private func tenths(of host: String) -> Int { accounts[host]?.tenths ?? fullTenths }

    private mutating func set(_ tenths: Int, for host: String) {
        tick += 1
        accounts[host] = tenths < fullTenths ? Account(tenths: tenths, lastChange: tick) : nil
        guard accounts.count > hostLimit else { return }
        if let oldest = accounts.min(by: { $0.value.lastChange < $1.value.lastChange }) { accounts[oldest.key] = nil }
    }
}
