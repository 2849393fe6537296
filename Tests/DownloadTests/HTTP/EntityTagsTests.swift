import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The tags that clients name.
@Suite struct EntityTagsTests {
    @Test(
        arguments: [
            ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("\"b\",,\t\"a\" ", true), ("*", true),
            ("\"b\", *", true), ("\"b\"", false), ("\"A\"", false), ("a", false), ("", false), (",", false),
            ("W/", false),
            ("\"a", false), ("w/\"a\"", false), ("W/a", false), ("\"\"", false), ("\"b\" x, \"a\"", false),
            ("*x", false), ("*, x", false), ("\"a,b\", \"a\"", true), ("\"x, \"a\"", false),
        ] as [(String, Bool)]) func field_namesTheTag(field: String, expected: Bool)
    {
        #expect((EntityTags(field)?.contains("\"a\"") == true) == expected)
        #expect((EntityTags(field)?.contains("W/\"a\"") == true) == expected)
    }

    @Test func veryManyTags_areNotRead() {
        let field = String(repeating: "\"b\",", count: 10_000) + "\"a\""
        #expect(EntityTags(field)?.contains("\"a\"") == false)
    }

    @Test func rubbish_doesNotTrap() {
        var random = SeededRandom(seed: Fuzz.seed)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...30, using: &random)
            let field = String((0..<count).map { _ in "W/\"*, aé\t".randomElement(using: &random) ?? " " })
            _ = EntityTags(field)?.contains("\"a\"")
        }
    }
}
