import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The program's hook for credentials.
@Suite(.timeLimit(.minutes(1))) struct CoordinatorAuthenticateTests {
    private struct Refusal: Error, Equatable {}

    /// What the hook was asked, and the signal that lets it continue.
    private let asked = Recorder<RequestAuthentication.Question>()
    private let opened = Recorder<Void>()
    private let stopped = Recorder<Void>()

    private func makeFixture(
        width: Int = 6, isOpen: Bool = true,
        answer hook: @escaping @Sendable (RequestAuthentication.Question, Int) throws -> String? = { "Bearer \($1)" },
        change: (inout DownloadCoordinator.Settings) -> Void = { _ in }
    ) -> CoordinatorFixture {
        if isOpen { opened.record(()) }
        return CoordinatorFixture {
            $0.maximumConcurrentDownloads = width
            change(&$0)
            $0.authenticate = RequestAuthentication(id: "test") { [asked, opened, stopped] question in
                asked.record(question)
                let count = asked.values.count
                await withTaskCancellationHandler {
                    _ = await opened.wait { !$0.isEmpty }
                } onCancel: {
                    stopped.record(())
                }
                return try hook(question, count)
            }
        }
    }

    private func untilWaiting(_ fixture: CoordinatorFixture, _ count: Int) async {
        while !Task.isCancelled, await fixture.coordinator.credentials.waiterCount(of: "http://host.test") != count {
            await Task.yield()
        }
    }

    @Test func refusedRequest_isRepeatedOnce_withTheAnswer() async throws {
        let fixture = makeFixture()
        let caller = try fixture.download()
        let first = try await fixture.nextCall()
        #expect(first.request.headers["Authorization"] == nil)
        first.respond(status: 401, headers: ["WWW-Authenticate": "Bearer realm=\"a\""])
        let second = try await fixture.nextCall()
        #expect(second.request.headers["Authorization"] == "Bearer 1")
        #expect(second.request.url == first.request.url)
        fixture.complete(second)
        #expect(try await caller.value.body == fixture.body)
        let challenge = AuthenticationChallenge(scheme: "bearer", parameters: ["realm": "a"])
        #expect(asked.values == [.init(origin: "http://host.test", url: try .test(), challenges: [challenge])])
        let statistics = await fixture.statistics
        #expect(statistics.running == 0 && statistics.retried == 0 && statistics.succeeded == 1)
    }

    @Test func laterRequests_sendTheAnswerAtOnce_toThatOriginOnly() async throws {
        let fixture = makeFixture()
        let first = try fixture.download()
        try await fixture.nextCall().respond(status: 401)
        fixture.complete(try await fixture.nextCall())
        _ = try await first.value
        let second = try fixture.download("b.png")
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Authorization"] == "Bearer 1")
        fixture.complete(call)
        _ = try await second.value
        for text in ["https://host.test/a", "http://host.test:81/a", "http://other.test/a"] {
            let caller = fixture.download(ImageRequest(url: try #require(URL(string: text))))
            let call = try await fixture.nextCall()
            #expect(call.request.headers["Authorization"] == nil, "\(text)")
            fixture.complete(call)
            _ = try await caller.value
        }
        #expect(asked.values.count == 1)
    }

    @Test func secondRefusal_isFinal_andTheAnswerIsNotSentAgain() async throws {
        let fixture = makeFixture(change: { $0.retry = .atOnce() })
        let caller = try fixture.download()
        for _ in 0..<2 { try await fixture.nextCall().respond(status: 401) }
        await #expect(throws: ImageLoaderError.badStatus(401)) { try await caller.value }
        #expect(fixture.transport.callCount == 2 && asked.values.count == 1)
        let other = try fixture.download("b.png")
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Authorization"] == nil)
        fixture.complete(call)
        _ = try await other.value
    }

    @Test func expiredAnswer_isAskedForAnew() async throws {
        let fixture = makeFixture()
        let first = try fixture.download()
        try await fixture.nextCall().respond(status: 401)
        fixture.complete(try await fixture.nextCall())
        _ = try await first.value
        let second = try fixture.download("b.png")
        try await fixture.nextCall().respond(status: 401)
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Authorization"] == "Bearer 2")
        fixture.complete(call)
        _ = try await second.value
        #expect(asked.values.map(\.refused) == [nil, "Bearer 1"])
    }

    @Test func downloadsOfOneOrigin_causeOneCall_andHoldNoSlot() async throws {
        let fixture = makeFixture(width: 2, isOpen: false)
        let callers = try (0..<5).map { try fixture.download("\($0).png") }
        // With two slots, all five are only sent because those that wait for the hook hold none.
        for _ in callers { try await fixture.nextCall().respond(status: 401) }
        await untilWaiting(fixture, 5)
        #expect(await fixture.statistics.running == 0)
        #expect(asked.values.count == 1)
        opened.record(())
        for _ in callers {
            let call = try await fixture.nextCall()
            #expect(call.request.headers["Authorization"] == "Bearer 1")
            fixture.complete(call)
        }
        for caller in callers { _ = try await caller.value }
        #expect(asked.values.count == 1)
        #expect(await fixture.coordinator.hookCalls.isEmpty)
    }

    /// It was sent before the credentials were known.
    @Test func refusalAfterTheAnswer_isRepeatedWithoutAskingAgain() async throws {
        let fixture = makeFixture()
        let callers = [try fixture.download("a.png"), try fixture.download("b.png")]
        let calls = [try await fixture.nextCall(), try await fixture.nextCall()]
        calls[0].respond(status: 401)
        fixture.complete(try await fixture.nextCall())
        calls[1].respond(status: 401)
        let repeated = try await fixture.nextCall()
        #expect(repeated.request.headers["Authorization"] == "Bearer 1")
        fixture.complete(repeated)
        for caller in callers { _ = try await caller.value }
        #expect(asked.values.count == 1)
    }

    @Test func lastCallerToLeave_cancelsTheHook() async throws {
        let fixture = makeFixture(isOpen: false)
        let callers = [try fixture.download("a.png"), try fixture.download("b.png")]
        for _ in callers { try await fixture.nextCall().respond(status: 401) }
        await untilWaiting(fixture, 2)
        callers[0].cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await callers[0].value }
        await fixture.untilEnded(1)
        #expect(stopped.values.isEmpty)
        callers[1].cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await callers[1].value }
        await stopped.wait { !$0.isEmpty }
        await fixture.untilEnded(2)
        // Its late answer counts for nobody.
        opened.record(())
        let later = try fixture.download("c.png")
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Authorization"] == nil)
        fixture.complete(call)
        _ = try await later.value
        let statistics = await fixture.statistics
        #expect(statistics.cancelled == 2 && statistics.running == 0)
    }

    @Test func noAnswer_isBadStatus_forAllWhoWait() async throws {
        let fixture = makeFixture(isOpen: false, answer: { _, _ in nil })
        let callers = [try fixture.download("a.png"), try fixture.download("b.png")]
        for _ in callers { try await fixture.nextCall().respond(status: 401) }
        await untilWaiting(fixture, 2)
        opened.record(())
        for caller in callers {
            await #expect(throws: ImageLoaderError.badStatus(401)) { try await caller.value }
        }
        #expect(fixture.transport.callCount == 2 && asked.values.count == 1)
    }

    @Test func throwingHook_isNamed() async throws {
        let fixture = makeFixture(answer: { _, _ in throw Refusal() })
        let caller = try fixture.download()
        try await fixture.nextCall().respond(status: 401)
        await #expect(throws: ImageLoaderError.authenticationFailed(UnderlyingError(Refusal()))) {
            try await caller.value
        }
        #expect(await fixture.statistics.failed == 1)
    }

    @Test func answerThatCannotBeSent_isAnInvalidHeader() async throws {
        let fixture = makeFixture(answer: { _, _ in "a\r\nX-B: b" })
        let caller = try fixture.download()
        try await fixture.nextCall().respond(status: 401)
        await #expect(throws: ImageLoaderError.invalidHeader(name: "Authorization")) { try await caller.value }
        #expect(fixture.transport.callCount == 1)
    }

    @Test func ownCredentials_areNotReplaced() async throws {
        let fixture = makeFixture()
        var request = try ImageRequest.test()
        request.credentials = .init(user: "me", password: "secret")
        let caller = fixture.download(request)
        let call = try await fixture.nextCall()
        #expect(call.request.headers["Authorization"] == request.credentials?.basic)
        call.respond(status: 401)
        await #expect(throws: ImageLoaderError.badStatus(401)) { try await caller.value }
        #expect(asked.values.isEmpty)
    }

    @Test func otherStatuses_doNotAsk_andRetriesKeepTheAnswer() async throws {
        let fixture = makeFixture(change: { $0.retry = .atOnce() })
        let caller = try fixture.download()
        try await fixture.nextCall().respond(status: 401)
        try await fixture.nextCall().respond(status: 503)
        let third = try await fixture.nextCall()
        #expect(third.request.headers["Authorization"] == "Bearer 1")
        fixture.complete(third)
        _ = try await caller.value
        let forbidden = try fixture.download("b.png")
        try await fixture.nextCall().respond(status: 403)
        await #expect(throws: ImageLoaderError.badStatus(403)) { try await forbidden.value }
        #expect(asked.values.count == 1)
    }

    @Test func bothHooks_workTogether() async throws {
        let fixture = makeFixture(change: {
            $0.prepare = RequestPreparation(id: "p") { $0.headers["X-Signed"] = "yes" }
        })
        let caller = try fixture.download()
        try await fixture.nextCall().respond(status: 401)
        let call = try await fixture.nextCall()
        #expect(call.request.headers["X-Signed"] == "yes" && call.request.headers["Authorization"] == "Bearer 1")
        fixture.complete(call)
        _ = try await caller.value
    }

    // MARK: Secrets

    @Test func identity_isPartOfTheScope_andTheAnswerIsNot() async throws {
        var settings = DownloadCoordinator.Settings()
        let plain = settings.scope
        settings.authenticate = RequestAuthentication(id: "one") { _ in "secret" }
        let one = settings.scope
        settings.authenticate = RequestAuthentication(id: "two") { _ in "secret" }
        #expect(Set([plain.resource, one.resource, settings.scope.resource]).count == 3)
        settings.authenticate = nil
        settings.prepare = RequestPreparation(id: "one") { _ in }
        #expect(settings.scope.resource != one.resource)
        #expect(!one.resource.contains("secret"))
    }

    @Test func answer_reachesNeitherDiskNorEvents() async throws {
        let png = try Pictures.png()
        let secret = "Bearer c2VjcmV0LXRva2Vu"
        var fixture = try LoaderFixture(
            ScriptedDataLoader { request in
                request.headers["Authorization"] == secret
                    ? .bytes(png, headers: ["Vary": "Authorization", "ETag": "\"1\""]) : .status(401)
            })
        fixture.configuration.download.authenticate = RequestAuthentication(id: "user 7") { _ in secret }
        let loader = fixture.makeLoader()
        #expect(try await loader.response(for: .test()).source == .network)
        await loader.flush()
        let files = try FileManager.default.subpathsOfDirectory(atPath: fixture.temporary.file("cache"))
        var count = 0
        for file in files {
            guard let data = FileManager.default.contents(atPath: fixture.temporary.file("cache/\(file)")) else {
                continue
            }
            count += 1
            for text in [secret, "c2VjcmV0LXRva2Vu", "user 7"] { #expect(data.range(of: Data(text.utf8)) == nil) }
        }
        #expect(count > 1)
        #expect(!fixture.events.values.contains { "\($0)".contains("c2VjcmV0") })
        #expect(!"\(loader.key(for: try .test() as ImageRequest))".contains("c2VjcmV0"))
        #expect(try await fixture.makeLoader().response(for: .test()).source == .disk)
    }
}
