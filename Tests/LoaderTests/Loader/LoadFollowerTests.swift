import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// A slot receives the events of its load, and no Task waits for them.
@MainActor @Suite(.timeLimit(.minutes(1))) struct LoadFollowerTests {
    private let transport = ScriptedDataLoader()
    private let fixture: LoaderFixture
    private let loader: ImageLoader
    private let received = Recorder<DownloadEvent?>()

    init() throws {
        fixture = try LoaderFixture(transport)
        loader = fixture.makeLoader()
    }

    private func follower() throws -> LoadFollower {
        LoadFollower(loader.imageTask(for: try .test())) { [received] in received.record($0) }
    }

    @Test func events_arriveInOrder_andThenTheEnd() async throws {
        let png = try Pictures.png()
        let follower = try follower()
        #expect(received.values.isEmpty)
        let call = try await transport.nextCall()
        await received.wait { $0.count == 1 }
        call.respond(expectedBytes: png.count)
        await received.wait { $0.count == 2 }
        call.send(png)
        await received.wait { $0.count == 3 }
        call.finish()
        let all = await received.wait { $0.last == .some(nil) }
        guard all.count == 5, case .started(1) = all[0], case .response = all[1] else { return must(false, "\(all)") }
        #expect(all[2] == .progress(received: png.count, expected: png.count) && all[3] == .ended(error: nil))
        #expect(follower.load.result != nil)
    }

    @Test func loadThatHasEnded_isReportedLater() async throws {
        let task = loader.imageTask(for: try .test())
        (try await transport.nextCall()).respond(status: 404)
        await task.end()
        let follower = LoadFollower(task) { [received] in received.record($0) }
        #expect(received.values.isEmpty)
        let all = await received.wait { $0.last == .some(nil) }
        #expect(all.dropLast().last == .ended(error: .badStatus(404)))
        #expect(follower.load.result != nil)
    }

    @Test func stoppedFollower_receivesNothing() async throws {
        let follower = try follower()
        let call = try await transport.nextCall()
        await received.wait { $0.count == 1 }
        call.respond()
        // Its wait may have ended already.
        follower.stop()
        follower.load.cancel()
        try await call.cancelled()
        await follower.load.end()
        await Task {}.value
        #expect(received.values.count == 1)
    }

    @Test func endOfTheLoad_releasesTheFollower() async throws {
        var follower: LoadFollower? = try follower()
        weak let released = follower
        let task = try #require(follower?.load)
        follower = nil
        (try await transport.nextCall()).respond(status: 404)
        await task.end()
        await received.wait { $0.last == .some(nil) }
        while released != nil { await Task.yield() }
    }
}
