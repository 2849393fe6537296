import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// A download coordinator used without a loader.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorAloneTests {
    private let transport = ScriptedDataLoader()
    private let events = Recorder<DownloadCoordinator.Event>()

    private func makeCoordinator(
        _ change: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) throws -> DownloadCoordinator {
        var settings = DownloadCoordinator.Settings()
        settings.retry = .none
        settings.bodyBudget = BodyBudget(byteLimit: 1 << 20)
        change(&settings)
        return try DownloadCoordinator(settings, dataLoader: transport) { [events] in events.record($0) }
    }

    private func answer(_ call: ScriptedDataLoader.Call, headers: HTTPHeaders = [:]) {
        call.answer(Data("body".utf8), headers: headers)
    }

    @Test func callers_shareADownloadAndGetItsResponse() async throws {
        let downloads = try makeCoordinator()
        let first = Task { try await downloads.response(for: .test()) }
        let call = try await transport.nextCall()
        #expect(await downloads.isLoading(try .test()))
        let second = Task { try await downloads.data(for: .test()) }
        while !Task.isCancelled, await downloads.statistics.coalesced < 1 { await Task.yield() }
        answer(call, headers: ["Cache-Control": "max-age=60", "X-Test": "1"])
        let response = try await first.value
        #expect(response.data == Data("body".utf8) && response.head?.headers["x-test"] == "1")
        #expect(response.freshness?.isFresh(at: .now) == true)
        #expect(try await second.value == response.data)
        #expect(await downloads.isLoading(try .test()) == false)
        // Returned bytes don't count as waiting for a decoder.
        #expect(downloads.bodyBudget.byteCount == 0)
        #expect(Set(events.values.map(\.load)).count == 1)
        #expect(try events.values.first?.url == URL.test())
    }

    @Test func nonHTTPRequest_isRejected() async throws {
        let downloads = try makeCoordinator()
        await #expect(throws: ImageLoaderError.unsupportedScheme("ftp")) {
            try await downloads.data(for: ImageRequest(url: #require(URL(string: "ftp://host.test/a"))))
        }
        let own = await #expect(throws: ImageLoaderError.self) {
            try await downloads.data(for: ImageRequest(data: Data(), id: "mine"))
        }
        #expect(own?.kind == .unsupportedScheme)
        #expect(transport.callCount == 0)
    }

    @Test func limits_changeWhileDownloadsRun() async throws {
        let downloads = try makeCoordinator { $0.maximumConcurrentDownloads = 1 }
        let loads = (0..<6).map { number in Task { try await downloads.data(for: .test("\(number)")) } }
        var calls = [try await transport.nextCall()]
        try await downloads.setMaximumConcurrentDownloads(12)
        for _ in 1..<6 { calls.append(try await transport.nextCall()) }
        #expect(await downloads.statistics.running == 6)
        try await downloads.setMaximumConcurrentDownloadsPerHost(7)
        let another = Task { try await downloads.data(for: .test("another")) }
        calls.append(try await transport.nextCall())
        for call in calls { answer(call) }
        for load in loads + [another] { #expect(try await load.value == Data("body".utf8)) }
        for change in [
            { try await downloads.setMaximumConcurrentDownloads(0) },
            { try await downloads.setMaximumConcurrentDownloadsPerHost(-1) },
            { try await downloads.setMaximumConcurrentDownloads(0, forHostOf: .test()) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: ImageLoaderError.self) { try await change() }
            #expect(error?.kind == .unsupportedConfiguration)
        }
    }

    @Test func newOrder_appliesToDownloadsQueuedLater() async throws {
        let downloads = try makeCoordinator { $0.maximumConcurrentDownloads = 1 }
        let first = Task { try await downloads.data(for: .test("first")) }
        let call = try await transport.nextCall()
        await downloads.setOrder(.lastInFirstOut)
        var loads: [Task<Data, any Error>] = []
        for (count, name) in ["early", "late"].enumerated() {
            loads.append(Task { try await downloads.data(for: .test(name)) })
            while !Task.isCancelled, await downloads.statistics.queued < count + 1 { await Task.yield() }
        }
        answer(call)
        _ = try await first.value
        for name in ["late", "early"] {
            let next = try await transport.nextCall()
            #expect(next.request.url.lastPathComponent == name)
            answer(next)
        }
        for load in loads { _ = try await load.value }
    }
}
