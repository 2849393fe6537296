/// The results of a run as Markdown, beside the known verdicts on other implementations.
struct HTTPCacheTable: Sendable {
    let profile: HTTPCacheProfile
    let results: [HTTPCacheResult]

    private static let titles = [
        "chrome143": "Chrome 143", "firefox146": "Firefox 146", "safari26": "Safari 26",
        "hishel2.0_private": "hishel 2.0", "no_cache": "no cache",
    ]

    var text: String {
        """
        \(totals.joined(separator: "\n"))

        \(rows.isEmpty ? "All cases pass." : rows.joined(separator: "\n"))

        """
    }

    /// How many of the required and the optimal cases each implementation passes.
    var totals: [String] {
        let profiles = Set(results.map(\.test.profile)).sorted()
        let groups = (profiles + (profiles.count > 1 ? ["all"] : [])).flatMap { profile in
            [HTTPCacheCase.Kind.required, .optimal].compactMap { kind in
                let group = results.filter { [$0.test.profile, "all"].contains(profile) && $0.test.kind == kind }
                return group.isEmpty ? nil : ("\(profile), \(kind.rawValue)", group)
            }
        }
        func line(_ title: String, _ passes: (HTTPCacheResult) -> Bool) -> String {
            Self.row([title] + groups.map { "\($0.1.count(where: passes)) of \($0.1.count)" })
        }
        let head = [Self.row(["implementation"] + groups.map(\.0)), "|---" + groups.map { _ in "|---" }.joined() + "|"]
        let others = profile.implementations.map { name in
            line(Self.titles[name] ?? name) { profile.rows[$0.test.id]?.verdicts[name]?.isPass ?? false }
        }
        return head + [line("Alcedo") { $0.verdict.isPass }] + others
    }

    /// The cases that don't pass.
    private var rows: [String] {
        let rows = results.filter { !$0.verdict.isPass }.map { result in
            let test = result.test
            return Self.row([
                "`\(test.id)`", test.profile, test.kind.rawValue, result.verdict.rawValue, result.message ?? "",
            ])
        }
        return rows.isEmpty
            ? [] : [Self.row(["case", "profile", "kind", "verdict", "reason"]), "|---|---|---|---|---|"] + rows
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
}
