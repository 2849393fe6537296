/// Docs/HTTP-cache-conformance.md: how the loader's cache answers all cases, over each transport.
struct HTTPCachePage: Sendable {
    private let set: HTTPCacheCaseSet
    private let reasons: [String: String]
    private var totals: [String] = []
    private var rows: [String] = []
    private var others: [String] = []

    /// - Parameter reasons: Why cases fail, by their ids.
    init(set: HTTPCacheCaseSet, reasons: [String: String]) {
        self.set = set
        self.reasons = reasons
    }

    /// - Parameter reasons: Why further cases fail over this transport.
    mutating func add(_ results: [HTTPCacheResult], over transport: String, _ reasons: [String: String]) {
        let lines = HTTPCacheTable(profile: set.profile, results: results).totals
        if totals.isEmpty {
            totals = Array(lines.prefix(2))
            others = Array(lines.dropFirst(3))
            rows = results.filter { !$0.verdict.isPass }.map { row($0, self.reasons[$0.test.id]) }
        }
        totals.append(lines[2].replacing("Alcedo", with: "Alcedo, over \(transport)"))
        for result in results where !result.verdict.isPass {
            if let reason = reasons[result.test.id] { rows.append(row(result, "Over \(transport): \(reason)")) }
        }
    }

    private func row(_ result: HTTPCacheResult, _ reason: String?) -> String {
        let told = (result.message ?? "").replacing("|", with: "\\|")
        return "| `\(result.test.id)` | \(result.test.profile), \(result.test.kind.rawValue) | "
            + "\(result.verdict.rawValue) | \(told) | \(reason ?? "") |"
    }

    var text: String {
        """
        # Conformance of the HTTP cache

        How `ImageLoader.dataResponse(for:)` answers the cases of a third party's suite for HTTP caches,
        [http-tests/cache-tests](https://github.com/http-tests/cache-tests), that apply to a private cache of GET. The
        set isn't part of this repository; with its folder in `ALCEDO_HTTP_CASES`, `make conformance` runs all of it
        and writes this page. The verdicts on other implementations are the suite's published ones.

        `core` cases need a cache only; in `range` cases the caller asks for a part of a body. *Required* cases follow
        from MUSTs of RFC 9111. *Optimal* ones make a cache more useful, and *check* cases only show what it does;
        neither verdict on them is wrong. The suite takes a response that says nothing about its freshness for stale,
        so `CacheRules.defaultLifetime` is zero in these runs.

        \((totals + others).joined(separator: "\n"))

        ## Cases that don't pass

        | case | kind | verdict | what was seen | reason |
        |---|---|---|---|---|
        \(rows.joined(separator: "\n"))

        """
    }
}
