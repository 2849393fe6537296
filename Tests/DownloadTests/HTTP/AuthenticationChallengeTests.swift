import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

struct AuthenticationChallengeTests {
    private typealias Challenge = AuthenticationChallenge

    @Test(
        arguments: [
            ("", []), (" , ,", []), ("Basic", [.init(scheme: "basic")]),
            ("Basic realm=\"a\"", [.init(scheme: "basic", parameters: ["realm": "a"])]),
            (
                "BEARER Realm = a , scope=\"x y\"",
                [.init(scheme: "bearer", parameters: ["realm": "a", "scope": "x y"])]
            ),
            ("Negotiate", [.init(scheme: "negotiate")]),
            ("Negotiate YII=", [.init(scheme: "negotiate", token: "YII=")]),
            (
                "Negotiate a/b+c==, Basic realm=b",
                [
                    .init(scheme: "negotiate", token: "a/b+c=="), .init(scheme: "basic", parameters: ["realm": "b"]),
                ]
            ),
            (
                "Basic realm=\"a, Bearer b=c\", Bearer",
                [
                    .init(scheme: "basic", parameters: ["realm": "a, Bearer b=c"]), .init(scheme: "bearer"),
                ]
            ),
            // RFC 9110 section 11.6.1
            (
                "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
                [
                    .init(scheme: "basic", parameters: ["realm": "simple"]),
                    .init(scheme: "newauth", parameters: ["realm": "apps", "type": "1", "title": "Login to \"apps\""]),
                ]
            ),
            ("Bearer, Basic realm=x", [.init(scheme: "bearer"), .init(scheme: "basic", parameters: ["realm": "x"])]),
            ("Basic realm=a, realm=b", [.init(scheme: "basic", parameters: ["realm": "a"])]),
            ("Basic realm=\"é\"", [.init(scheme: "basic", parameters: ["realm": "é"])]),
            ("Basic realm=\"a", [.init(scheme: "basic")]), ("Basic realm=", [.init(scheme: "basic", token: "realm=")]),
            ("\"Basic\" realm=a", []),
        ] as [(String, [AuthenticationChallenge])])
    func field_isReadAsItsChallenges(value: String, challenges: [AuthenticationChallenge]) {
        #expect(AuthenticationChallenge.challenges(in: value) == challenges)
    }

    /// Every prefix of every order of the parts ends, and names no empty scheme.
    @Test func randomFields_areReadToTheirEnd() {
        let parts = ["Basic", " ", "=", "\"", "\\", ",", "realm", "a/b", "==", "\t", "é", "\u{0}"]
        var random = SeededRandom(seed: 7)
        for _ in 0..<5_000 {
            let value = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }.joined()
            for challenge in AuthenticationChallenge.challenges(in: value) { #expect(!challenge.scheme.isEmpty) }
        }
    }
}
