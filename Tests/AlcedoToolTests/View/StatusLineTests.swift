import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct StatusLineTests {
    private let line = StatusLine(number: 3, count: 60, name: "heron.jpg", details: "loading 4 KB of 9 KB")

    @Test func text_isAsWideAsTheScreen() {
        #expect(line.text(width: 50) == " 3/60 heron.jpg · loading 4 KB of 9 KB            ")
        #expect(line.text(width: 20) == " 3/60 heron.jpg · l…")
        #expect(line.text(width: 1) == "…")
        #expect(line.text(width: 0) == "")
    }

    @Test func notes_areOnTheRight_whereThereIsRoom() {
        var line = line
        line.notes = ["paused", "kitty"]
        #expect(line.text(width: 50) == " 3/60 heron.jpg · loading 4 KB of… paused · kitty ")
        #expect(line.text(width: 20) == " 3/60 heron.jpg · l…")
    }

    @MainActor @Test func details_followTheSlot() async throws {
        let png = try Pictures.png()
        let fixture = try LoadFixture { request in
            switch request.path {
            case "/held.png": .manual
            case "/fresh.png": .bytes(png).header("Cache-Control", "max-age=600")
            default: .status(404)
            }
        }
        let loader = ImageLoader(fixture.configuration)
        let now = Date()
        func details(_ slot: ImageSlot) -> String { StatusLine.details(of: slot, at: now) }
        let slot = ImageSlot(loader)
        #expect(details(slot) == "not loaded")
        try await fixture.load("/held.png", in: slot) { $0.isLoading }
        #expect(details(slot) == "loading")
        let exchange = try await fixture.server.nextRequest()
        exchange.sendHead(length: 5_000)
        exchange.send(Data(count: 2_000))
        try await fixture.load("/held.png", in: slot) { details($0) == "loading 2 KB of 5 KB" }
        try await fixture.load("/missing.png", in: slot) { $0.phase.error != nil }
        #expect(details(slot) == "failed: the server answered with status 404")
        try await fixture.load("/fresh.png", in: slot) { $0.phase.response != nil }
        let text = details(slot)
        #expect(text.hasPrefix("png, 8 × 6 · network · fresh for "), "\(text)")
        #expect(text.contains("(download ") && text.contains(", decode "), "\(text)")
        #expect(StatusLine.details(of: slot, at: now + 3_600).contains(" · stale · "))
    }

    @MainActor @Test func animation_saysHowManyFrames() async throws {
        let (red, blue) = (try Pictures.plain(4, 3, [255, 0, 0, 255]), try Pictures.plain(4, 3, [0, 0, 255, 255]))
        let frames = [red, blue].map { AnimationFrame($0, delay: .milliseconds(50)) }
        let request = ImageRequest(data: try GIFEncoder().encode(frames, loopCount: .forever), id: "gif")
        let response = try await ImageLoader(ImageLoader.Configuration()).response(for: request)
        #expect(StatusLine.details(of: response, at: Date()).hasPrefix("gif, 4 × 3, 2 frames · local · "))
    }
}

extension LoadFixture {
    /// Loads a path in a slot, and waits until it meets the condition.
    @MainActor
    fileprivate func load(_ path: String, in slot: ImageSlot, _ condition: @MainActor (ImageSlot) -> Bool) async throws
    {
        let (changes, changed) = AsyncStream.makeStream(of: Void.self)
        slot.onChange = { _ in changed.yield() }
        slot.load(server.url(path))
        changed.yield()
        for await _ in changes where condition(slot) { return }
        try #require(condition(slot))
    }
}
