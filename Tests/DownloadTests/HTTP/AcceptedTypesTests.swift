import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

struct AcceptedTypesTests {
    @Test(arguments: [
        ("image/webp", 1_000), ("image/webp;q=1", 1_000), ("image/webp;q=1.000", 1_000), ("image/webp;q=0", 0),
        ("image/webp;q=0.", 0), ("image/webp;q=0.5", 500), ("image/webp;q=0.05", 50), ("image/webp;q=0.001", 1),
        ("Image/WEBP; Q=0.25", 250), (" image/webp\t;\tq=0.7 , a/b", 700), ("a/b;q=0.1,image/webp", 1_000),
        ("image/webp;v=1;q=0.3;ext=2", 300), ("image/webp;quality=3", 1_000), ("image/webp;q=0.3;q=0.9", 300),
        (#"image/webp;a="x,y;q=0";q=0.4"#, 400), (#"image/webp;a="\",";q=0.4"#, 400), ("image/webp;q =0.5", 500),
        ("image/webp;q=0.9, image/webp;q=0.2", 200),
    ])
    func weight_isRead(_ field: String, _ weight: Int) {
        #expect(AcceptedTypes(field).listedWeight(of: "image/webp") == weight)
    }

    @Test(arguments: [
        "", "image/*", "image/webp;q=1.001", "image/webp;q=2", "image/webp;q=-1", "image/webp;q=",
        "image/webp;q=0.1234",
        "image/webp;q=.5", "image/webp;q=05", "image/webp;q=1e0", "image/webp2", "x image/webp", #""image/webp"#,
        #"a/b;c="image/webp"#, "image/webp image/png",
    ])
    func malformedMember_isIgnored(_ field: String) {
        #expect(AcceptedTypes(field).listedWeight(of: "image/webp") == nil)
    }

    @Test func moreSpecificRange_counts() {
        let types = AcceptedTypes("image/png;q=0, image/*;q=0.5, */*;q=0, text/*")
        #expect(!types.accepts("image/png") && types.accepts("image/jpeg"))
        #expect(!types.accepts("video/mp4") && types.accepts("text/html"))
        #expect(AcceptedTypes("").accepts("image/png") && !AcceptedTypes("text/html").accepts("image/png"))
    }

    @Test func longField_isCut() {
        let others = String(repeating: "a/b,", count: 100_000)
        #expect(AcceptedTypes(others + "image/webp").listedWeight(of: "image/webp") == nil)
        #expect(AcceptedTypes("image/webp," + others).listedWeight(of: "image/webp") == 1_000)
    }

    /// Whatever a client sends.
    @Test func randomFields_areRead() {
        var random = SeededRandom(seed: Fuzz.seed)
        let pieces = [
            "image/webp", "image/*", "*/*", ",", ";", "q=", "0", "1", ".", "5", "\"", "\\", " ", "=", "\u{0}", "é",
        ]
        for _ in 0..<Fuzz.steps {
            let count = Int.random(in: 0...12, using: &random)
            let field = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let types = AcceptedTypes(field)
            #expect((0...1_000).contains(types.listedWeight(of: "image/webp") ?? 0), "\(field)")
            _ = types.accepts("image/png")
        }
    }
}
