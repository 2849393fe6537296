import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// Animations in time that stands still. Nothing is written, because the terminal isn't taken.
@MainActor @Suite(.timeLimit(.minutes(1))) struct AnimatedScreenTests {
    private let transport = ScriptedDataLoader()
    private let clock = ManualClock()
    private let events = TerminalEvents()

    private func makeScreen(_ urls: [URL]) -> PictureScreen {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.dataLoader = transport
        return PictureScreen(
            urls.map { ViewItem($0.absoluteString) }, columns: nil, ImageLoader(configuration),
            TerminalOutput(-1, .blocks), clock: clock)
    }

    private func type(_ keys: String) { events.tell(.typed(Array(keys.utf8))) }

    private func after(seconds: Int) -> ManualClock.Instant { ManualClock.Instant(offset: .seconds(seconds)) }

    @Test func animationOutOfSight_standsStill() async throws {
        let animation = try #require(URL(string: "http://h/a.gif"))
        let other = try #require(URL(string: "http://h/b.png"))
        let frames = try [0, 200].map { red in
            AnimationFrame(try Pictures.plain(64, 48, [red, 0, 0, 255]), delay: .seconds(600))
        }
        let screen = makeScreen([animation, other])
        async let end: Void = screen.run(events)
        try await transport.nextCall(for: animation).answer(GIFEncoder().encode(frames, loopCount: .forever))
        try await transport.nextCall(for: other).answer(Pictures.png(64, 48))
        #expect(try await clock.nextSleeper() == after(seconds: 600))
        // The other one alone. It is loaded again in a larger size.
        type("\u{1B}[C\r")
        try await transport.nextCall(for: other).answer(Pictures.png(64, 48))
        #expect(clock.sleeperCount == 0)
        clock.advance(by: .seconds(500))
        // In the grid again, its first frame is shown for the rest of the 600 seconds.
        type("q")
        #expect(try await clock.nextSleeper() == after(seconds: 1_100))
        type("q")
        await end
    }
}
