import Foundation

/// A set of HTTP cache cases: tests.json and profile.tsv.
///
/// `ALCEDO_HTTP_CASES` names the folder of the set; without it, the small set in Fixtures is used. Nothing depends on
/// which cases a set has.
struct HTTPCacheCaseSet: Sendable {
    /// In the order of the file.
    let cases: [HTTPCacheCase]
    let profile: HTTPCacheProfile

    /// The set to test with, or the reason why it can't be read.
    static let current = Result { () throws(Damage) in
        let named = ProcessInfo.processInfo.environment["ALCEDO_HTTP_CASES"].map { URL(filePath: $0) }
        return try HTTPCacheCaseSet(named ?? Fixtures.folder.appending(path: "http-cache"))
    }

    init(_ folder: URL) throws(Damage) {
        let bytes = try Self.bytes(of: "tests.json", in: folder)
        do {
            cases = try JSONDecoder().decode(Suites.self, from: bytes).suites.flatMap(\.tests)
        } catch {
            throw Damage("tests.json has another format: \(error)")
        }
        profile = try HTTPCacheProfile(String(decoding: Self.bytes(of: "profile.tsv", in: folder), as: UTF8.self))
        guard !cases.isEmpty else { throw Damage("tests.json has no cases") }
        var ids: Set<String> = []
        for test in cases {
            guard ids.insert(test.id).inserted else { throw Damage("\(test.id): a second case of the same name") }
            guard let row = profile.rows[test.id] else { throw Damage("\(test.id): no line in profile.tsv") }
            guard row.kind == test.kind.rawValue, row.profile == test.profile else {
                throw Damage("\(test.id): another kind or profile in profile.tsv than in tests.json")
            }
        }
    }

    /// Cases that no table has.
    init(_ cases: [HTTPCacheCase]) throws(Damage) {
        self.cases = cases
        profile = try HTTPCacheProfile("id\tkind\tprofile")
    }

    private static func bytes(of name: String, in folder: URL) throws(Damage) -> Data {
        do {
            return try Data(contentsOf: folder.appending(path: name))
        } catch {
            throw Damage("\(name) can't be read in \(folder.path): \(error.localizedDescription)")
        }
    }

    private struct Suites: Decodable { let suites: [Suite] }

    private struct Suite: Decodable { let tests: [HTTPCacheCase] }

    /// The reason why a folder can't be read as a set.
    struct Damage: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
