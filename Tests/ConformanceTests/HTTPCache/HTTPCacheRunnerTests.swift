import Alcedo
import Foundation
import Synchronization
import Testing

/// Runs the set of HTTP cache cases with clients whose verdicts are known.
struct HTTPCacheRunnerTests {
    /// Fails if the folder is invalid.
    @Test func set_canBeRead() throws {
        let set = try HTTPCacheCaseSet.current.get()
        #expect(set.cases.count > 0)
        #expect(set.cases.contains { HTTPCacheRunner.profiles.contains($0.profile) })
    }

    @Test func clientWithoutCache_hasThePublishedVerdicts() async throws {
        let (origin, clock) = (ConformanceOrigin(), ConformanceClock())
        let client = ConformanceClients.uncached(origin, clock)
        try await requirePublishedVerdicts(HTTPCacheRunner(origin: origin, clock: clock, client: client))
    }

    @Test func clientOverATransportWithoutSockets_hasThePublishedVerdicts() async throws {
        let (origin, clock) = (ConformanceOrigin(), ConformanceClock())
        let client = ConformanceClients.uncached(over: ConformanceDataLoader(origin: origin, clock: clock))
        try await requirePublishedVerdicts(HTTPCacheRunner(origin: origin, clock: clock, client: client))
    }

    @Test func clientOverSockets_hasThePublishedVerdicts() async throws {
        let (origin, clock) = (ConformanceOrigin(), ConformanceClock())
        let server = try ConformanceServer(origin, clock)
        let client = ConformanceClients.uncached(over: ConformanceClients.defaultTransport)
        try await requirePublishedVerdicts(
            HTTPCacheRunner(origin: origin, clock: clock, base: server.base, client: client))
    }

    private func requirePublishedVerdicts(_ runner: HTTPCacheRunner) async throws {
        let set = try HTTPCacheCaseSet.current.get()
        let results = await runner.results(of: set)
        #expect(results.count == set.cases.count { HTTPCacheRunner.profiles.contains($0.profile) })
        for result in results {
            let published = try #require(set.profile.rows[result.test.id]?.verdicts["no_cache"])
            #expect(result.verdict == published, "\(result.test.id): \(result.message ?? "passed")")
        }
    }

    // MARK: A wrong cache

    /// A cache that stores the first response to each URL and never asks again.
    private func hoarder(_ client: @escaping ConformanceClient) -> ConformanceClient {
        let stored = Mutex<[URL: ConformanceReply]>([:])
        return { request in
            if let reply = stored.withLock({ $0[request.url] }) { return .success(reply) }
            let result = await client(request)
            if case .success(let reply) = result { stored.withLock { $0[request.url] = reply } }
            return result
        }
    }

    @Test(arguments: [
        ("freshness-none", "no", "request 2: answered with a stored response"),
        ("freshness-max-age", "dependency_fail", "depends on freshness-none, whose verdict is no"),
        ("cc-resp-private-private", "pass", ""), ("cc-resp-immutable-fresh", "pass", ""),
        ("cc-resp-no-store", "fail", "request 2: answered with a stored response"),
        ("cc-resp-no-store-fresh", "dependency_fail", "depends on cc-resp-no-store, whose verdict is fail"),
        ("cc-resp-immutable-stale", "fail", "request 2: the origin received no If-None-Match"),
        ("304-lm-use-stored-Test-Header", "setup_fail", "request 2: the origin received no If-Modified-Since"),
        ("other-age-delay", "no", "request 1: age is missing"), ("conditional-etag-forward", "yes", ""),
    ])
    func cacheThatNeverAsksAgain_fails(_ id: String, _ verdict: String, _ words: String) async throws {
        let (origin, clock) = (ConformanceOrigin(), ConformanceClock())
        let client = hoarder(ConformanceClients.uncached(origin, clock))
        let runner = HTTPCacheRunner(origin: origin, clock: clock, client: client)
        let set = try HTTPCacheCaseSet(Fixtures.folder.appending(path: "http-cache"))
        let result = try #require(await runner.results(of: set).first { $0.test.id == id })
        #expect(result.verdict.rawValue == verdict)
        #expect((result.message ?? "").hasPrefix(words), "\(result.message ?? "")")
    }

    // MARK: Requests and dependencies

    @Test func request_hasTheFieldsOfTheCase() async throws {
        let sent = Mutex<[ConformanceRequest]>([])
        var first = HTTPCacheCase.Request(pause: 3, statusRule: .ignore, bodyRule: .skip)
        first.headers = [HTTPCacheField("Foo", "1"), HTTPCacheField("Foo", "2")]
        var second = HTTPCacheCase.Request(
            method: "POST", filename: "file", query: "a=b", body: "abc", cacheMode: .noCache, redirectMode: .manual,
            datesFromPreviousResponse: true, obsoleteDates: ["if-modified-since"], statusRule: .ignore, bodyRule: .skip)
        second.headers = [HTTPCacheField("If-Modified-Since", delta: -10)]
        let test = HTTPCacheCase(id: "a", kind: .required, profile: "core", requests: [first, second])
        let runner = HTTPCacheRunner(origin: ConformanceOrigin(), clock: ConformanceClock(), makeID: { "id" }) {
            request in
            sent.withLock { $0.append(request) }
            let headers: HTTPHeaders = ["Server-Now": "784111777999"]
            return .success(ConformanceReply(status: 200, headers: headers, body: Data()))
        }
        await #expect(throws: Never.self) { try await runner.run(test).get() }
        let all = sent.withLock { $0 }
        try #require(all.count == 2)
        let (one, two) = (all[0], all[1])
        #expect(one.url.absoluteString == "http://origin.test/test/id")
        #expect(one.allHeaders == ["Foo": "1, 2", "Test-ID": "id", "Req-Num": "1"])
        #expect(two.marks == ["Test-ID": "id", "Req-Num": "2"])
        #expect(one.body == nil && one.followsRedirects && !one.revalidates && one.method == "GET")
        #expect(two.url.absoluteString == "http://origin.test/test/id/file?a=b")
        #expect(two.headers["If-Modified-Since"] == "Sunday, 06-Nov-94 08:49:27 GMT")
        #expect(two.body == Data("abc".utf8) && !two.followsRedirects && two.revalidates && two.method == "POST")
    }

    @Test func dependencies_decideFirst() async throws {
        let request = HTTPCacheCase.Request(statusRule: .ignore, bodyRule: .skip)
        func test(_ id: String, _ profile: String = "core", after dependencies: [String]) -> HTTPCacheCase {
            HTTPCacheCase(
                id: id, kind: .required, profile: profile, isSkippedInBrowsers: id == "skipped",
                dependencies: dependencies, requests: [request])
        }
        let cases = [
            test("early", after: ["late"]), test("late", after: ["other"]), test("other", "methods", after: []),
            test("lost", after: ["not in the set"]), test("skipped", after: []), test("hopeless", after: ["skipped"]),
            test("circle", after: ["circle"]),
        ]
        let runner = HTTPCacheRunner(origin: ConformanceOrigin(), clock: ConformanceClock()) { _ in
            .success(ConformanceReply(status: 200, headers: [:], body: Data()))
        }
        let results = await runner.results(of: try HTTPCacheCaseSet(cases))
        let expected: [HTTPCacheVerdict] = [.pass, .pass, .pass, .untested, .dependencyFail, .dependencyFail]
        #expect(results.map(\.verdict) == expected)
        #expect(results.map(\.test.id) == ["early", "late", "lost", "skipped", "hopeless", "circle"])
    }

    @Test func pauses_advanceTheClock() async {
        let clock = ConformanceClock(start: 5_000)
        let requests = [HTTPCacheCase.Request(pause: 3), HTTPCacheCase.Request(replyPause: 5)]
        let test = HTTPCacheCase(id: "a", kind: .required, profile: "core", requests: requests)
        let origin = ConformanceOrigin()
        let runner = HTTPCacheRunner(
            origin: origin, clock: clock, client: ConformanceClients.uncached(origin, clock))
        let result = await runner.run(test)
        #expect(throws: Never.self) { try result.get() }
        #expect(clock.millisecondsSince1970 == 13_000)
        #expect(clock.secondsSince1970 == 13)
    }
}
