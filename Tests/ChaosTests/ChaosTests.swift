import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Many Tasks perform random actions on a few loaders through public API. The server, the file system and the limits
/// make them fail, but everything that can be seen from outside must be right.
///
/// ALCEDO_CHAOS_SECONDS is the duration with the disk cache, and an eighth of that with each store of ``StoreKind``;
/// without it, the test doesn't run. ALCEDO_CHAOS_SEED selects the actions, but not how they interleave. A failure
/// prints the latest actions on its image. The test takes real time, and runs in its own process.
@Suite(.enabled(if: Chaos.isAskedFor), .serialized, .timeLimit(.minutes(30))) struct ChaosTests {
    @Test(arguments: [nil] + StoreKind.allCases.map(Optional.some))
    func whatIsSeenFromOutside_isRight(kind: StoreKind?) async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [kind = kind as StoreKind?] in try await Chaos(kind).run() }
        guard let result else { return }
        for content in [result.standardOutputContent, result.standardErrorContent] {
            print(String(decoding: content, as: UTF8.self), terminator: "")
        }
    }
}
