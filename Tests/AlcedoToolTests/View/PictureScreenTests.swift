import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

/// The loads of a screen, without a terminal. On 80 × 24 cells there are two rows of three pictures.
@MainActor @Suite(.timeLimit(.minutes(1))) struct PictureScreenTests {
    private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=600"]

    private let transport = ScriptedDataLoader()
    private let recorder = EventRecorder()
    private let events = TerminalEvents()
    private let loader: ImageLoader
    private let png: Data

    init() throws {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.memory.reuseWindow = .zero
        configuration.dataLoader = transport
        configuration.eventSinks = [recorder]
        loader = ImageLoader(configuration)
        png = try Pictures.png(40, 30)
    }

    private func screen(of count: Int) -> PictureScreen {
        let items = (0..<count).map { ViewItem("http://h/\($0).png") }
        return PictureScreen(items, columns: nil, loader, TerminalOutput(-1, .blocks))
    }

    private func type(_ text: String) { events.tell(.typed(Array(text.utf8))) }

    private func url(_ number: Int) throws -> URL { try #require(URL(string: "http://h/\(number).png")) }

    /// Answers a request for each of these pictures, and waits until one load of each has ended.
    private func answer(_ numbers: Range<Int>, _ headers: HTTPHeaders) async throws {
        for number in numbers {
            try await transport.nextCall(for: url(number)).answer(png, headers: headers)
            _ = try await recorder.nextEnd(of: url(number))
        }
    }

    private func settle(_ screen: PictureScreen) async {
        for tile in screen.tiles { await tile.slot.settled() }
    }

    /// The server has to confirm the first six each time that they come into sight.
    @Test func picturesInSight_areRequestedOnce() async throws {
        let screen = screen(of: 9)
        async let running: Void = screen.run(events)
        let stale: HTTPHeaders = ["Cache-Control": "no-cache", "ETag": "\"1\""]
        try await answer(0..<6, stale)
        await settle(screen)
        try await answer(6..<9, Self.fresh)
        // The selection moves within the page, to the last one and back to the first.
        type("llGg")
        try await answer(0..<3, stale)
        await settle(screen)
        type("lllq")
        await running
        #expect(transport.callCount == 12)
    }

    @Test func pictureAlone_isLoadedInParts() async throws {
        let screen = screen(of: 1)
        async let running: Void = screen.run(events)
        try await answer(0..<1, Self.fresh)
        await settle(screen)
        // There is no disk cache, and each part is another image.
        for key in ["\r", "+", "l"] {
            type(key)
            try await answer(0..<1, Self.fresh)
            await screen.single.slot.settled()
        }
        type("qq")
        await running
        let regions = recorder.events.compactMap { event in
            if case .loaded(let request, _, _) = event.kind { request.region } else { nil }
        }
        #expect(regions == [10, 15].map { PixelRectangle(x: $0, y: 8, width: 20, height: 15) })
    }

    @Test func nextPage_joinsItsPrefetching_andPreviousPageEndsIt() async throws {
        let screen = screen(of: 18)
        async let running: Void = screen.run(events)
        try await answer(0..<6, Self.fresh)
        await settle(screen)
        // Prefetching takes half of the slots, and the tiles take all.
        var calls: [ScriptedDataLoader.Call] = []
        for _ in 0..<3 { calls.append(try await transport.nextCall()) }
        type(" ")
        for _ in 0..<3 { calls.append(try await transport.nextCall()) }
        #expect(Set(calls.map(\.request.url.lastPathComponent)) == Set((6..<12).map { "\($0).png" }))
        #expect(calls.allSatisfy { $0.end == nil })
        // The third page waits to be prefetched until then.
        type("b")
        for call in calls { try await call.cancelled() }
        type("q")
        await running
        let third = Set((12..<18).map { "\($0).png" })
        #expect(!recorder.events.contains { third.contains($0.url?.lastPathComponent ?? "") })
        #expect(transport.callCount == 12)
    }
}
