@testable import Alcedo
@testable import TestFixtures

extension PrefetchList {
    /// Describes a broken invariant between two calls, or nil when there is none.
    var brokenInvariant: String? {
        var (waiting, running, failed) = (0, 0, 0)
        for state in states.values {
            switch state {
            case .waiting: waiting += 1
            case .running: running += 1
            case .failed: failed += 1
            }
        }
        if running != runningCount { return "the running loads are miscounted" }
        if running > window { return "more loads run than the window has room for" }
        if waiting + running != progress.remaining { return "the progress doesn't add up" }
        if failed != failureCount || failed > Self.mostFailures { return "the failures are miscounted, or too many" }
        if !listed.isSuperset(of: ended.keys) { return "the end of a key that isn't listed is remembered" }
        if lineLength > 2 * waiting + 64 { return "the line is too long" }
        let places = line[head...].count { (key, number) in
            if case .waiting(number, _)? = states[key] { true } else { false }
        }
        return places == waiting ? nil : "a key that waits isn't in the line, or is in it twice"
    }
}
