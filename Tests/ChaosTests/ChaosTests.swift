import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Many Tasks do random things to a few loaders over public API, against a server, a file system and limits that fail
/// them, and whatever can be seen from outside must be right.
///
/// ALCEDO_CHAOS_SECONDS says how long, and without it nothing runs; ALCEDO_CHAOS_SEED says with which actions. A seed
/// fixes the actions, not how they interleave; a failure prints what was done last to its picture. It takes real time,
/// in a process of its own.
@Suite(.enabled(if: Chaos.isAskedFor), .serialized, .timeLimit(.minutes(30))) struct ChaosTests {
    @Test func whatIsSeenFromOutside_isRight() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { try await Chaos().run() }
        guard let result else { return }
        for content in [result.standardOutputContent, result.standardErrorContent] {
            print(String(decoding: content, as: UTF8.self), terminator: "")
        }
    }
}
