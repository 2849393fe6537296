import AlcedoTestSupport
import Foundation
import Testing

/// Tests what is accepted as a set of HTTP cache cases, and the table of results.
struct HTTPCacheCaseSetTests {
    private static let columns = "id\tkind\tprofile\tsquid\tno_cache\tname\n"
    private static let row = "a\trequired\tcore\tpass\tfail\tWhether it works\n"

    private static func tests(_ request: String = "") -> String {
        #"{"suites": [{"id": "s", "tests": [{"id": "a", "name": "Whether it works", "kind": "required", "#
            + #""profile": "core", "browser_only": false, "browser_skip": false, "cdn_only": false, "depends_on": [], "#
            + #""requests": [\#(request)]}]}]}"#
    }

    private func damage(_ tests: String?, _ profile: String?) throws -> String {
        let directory = try TemporaryDirectory()
        if let tests { try Data(tests.utf8).write(to: directory.url.appending(path: "tests.json")) }
        if let profile { try Data(profile.utf8).write(to: directory.url.appending(path: "profile.tsv")) }
        do throws(HTTPCacheCaseSet.Damage) {
            _ = try HTTPCacheCaseSet(directory.url)
            return ""
        } catch {
            return error.description
        }
    }

    @Test func anotherSet_isAccepted() throws {
        #expect(try damage(Self.tests(), Self.columns + Self.row) == "")
    }

    @Test func damagedSet_isRejected() throws {
        let (tests, profile) = (Self.tests(), Self.columns + Self.row)
        #expect(try damage(nil, profile).hasPrefix("tests.json can't be read in"))
        #expect(try damage(tests, nil).hasPrefix("profile.tsv can't be read in"))
        #expect(try damage("[]", profile).hasPrefix("tests.json has another format"))
        #expect(try damage(Self.tests("{}"), profile).hasPrefix("tests.json has another format"))
        #expect(try damage(#"{"suites": []}"#, profile) == "tests.json has no cases")
        #expect(try damage(tests, Self.columns) == "a: no line in profile.tsv")
        #expect(try damage(tests, "") == "profile.tsv has no column \"id\" in its first line")
        let twice = try damage(tests, profile + Self.row)
        #expect(twice == "profile.tsv, a: a second line for the same case")
        #expect(try damage(tests, profile + "b\tcheck\n") == "profile.tsv, b: 2 fields, not 6")
        let better = profile.replacing("\tpass", with: "\tbetter")
        #expect(try damage(tests, better) == "profile.tsv, a: \"better\" is not a verdict")
        let range = profile.replacing("\tcore", with: "\trange")
        #expect(try damage(tests, range).hasPrefix("a: another kind or profile in profile.tsv"))
    }

    @Test func table_countsAndExplains() throws {
        let profile = try HTTPCacheProfile(
            "id\tkind\tprofile\tchrome143\tno_cache\n" + "a\trequired\tcore\tpass\tfail\n"
                + "b\trequired\tcore\tpass\tdependency_fail\n" + "c\toptimal\trange\tuntested\tpass\n"
                + "d\tcheck\tcore\tyes\tyes\n")
        func result(
            _ id: String, _ kind: HTTPCacheCase.Kind, _ profile: String, _ verdict: HTTPCacheVerdict,
            _ message: String?
        ) -> HTTPCacheResult {
            let test = HTTPCacheCase(id: id, kind: kind, profile: profile, requests: [])
            return HTTPCacheResult(test: test, verdict: verdict, message: message)
        }
        let results = [
            result("a", .required, "core", .pass, nil), result("b", .required, "core", .fail, "request 2: a | b"),
            result("c", .optimal, "range", .pass, nil), result("d", .check, "core", .no, "request 1: no"),
        ]
        #expect(
            HTTPCacheTable(profile: profile, results: results).text == """
                | implementation | core, required | range, optimal | all, required | all, optimal |
                |---|---|---|---|---|
                | Alcedo | 1 of 2 | 1 of 1 | 1 of 2 | 1 of 1 |
                | Chrome 143 | 2 of 2 | 0 of 1 | 2 of 2 | 0 of 1 |
                | no cache | 0 of 2 | 1 of 1 | 0 of 2 | 1 of 1 |

                | case | profile | kind | verdict | reason |
                |---|---|---|---|---|
                | `b` | core | required | fail | request 2: a \\| b |
                | `d` | core | check | no | request 1: no |

                """)
        let passed = HTTPCacheTable(profile: profile, results: [results[0]]).text
        #expect(passed.hasSuffix("\n\nAll cases pass.\n"))
    }
}
