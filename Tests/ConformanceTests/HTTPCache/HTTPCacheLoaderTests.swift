#if canImport(ImageIO) || os(Linux)
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// The loader's cache against the cases of a third party.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheLoaderTests {
    private enum Transport: String, CaseIterable {
        case inProcess = "a scripted transport"
        case curl = "libcurl"
        case urlSession = "URLSession"

        static var available: [Transport] {
            #if os(Linux) && Curl
            allCases
            #else
            [.inProcess, .urlSession]
            #endif
        }
    }

    /// The cases that fail, and why. All other required ones must pass.
    private static let deviations: [String: String] = [
        "headers-store-Set-Cookie": secret, "headers-store-Set-Cookie2": secret,
        "vary-cache-key": "All fields of a request are part of the key, so that one look-up finds what may be used.",
        "vary-normalise-space": keptApart,
        "vary-normalise-lang-select": "Which language a server would select is not guessed.",
        "partial-store-partial-reuse-partial-byterange":
            "A part serves the same range only. This one contradicts itself, too: six bytes announced, five sent.",
        "partial-store-partial-reuse-partial-absent":
            "A part serves the same range only. This one contradicts itself, too: six bytes announced, five sent.",
        "partial-store-partial-complete":
            "Without a validator, a part can't be continued safely. This one isn't even the part that was asked for.",
    ]
    /// What explains cases that only show what a cache does.
    private static let observations: [String: String] = [
        "freshness-max-age-two-stale-fresh-sameline": "The first of several counts.",
        "freshness-max-age-decimal-zero": notANumber, "freshness-max-age-a100": notANumber,
        "freshness-max-age-100a": notANumber,
        "age-parse-parameter": "An `Age` that isn't a number is ignored (RFC 9111 section 5.1).",
        "age-parse-numeric-parameter": "An `Age` that isn't a number is ignored (RFC 9111 section 5.1).",
        "stale-503": everyStatus, "stale-sie-503": everyStatus,
        "stale-warning-stored": "`Warning` is obsolete (RFC 9111 section 5.5).",
        "heuristic-delta-5": overByThen, "heuristic-delta-10": overByThen, "heuristic-delta-30": overByThen,
        "conditional-etag-vary-headers-mismatch": "A response to another request isn't used for validation.",
        "conditional-etag-strong-generate-unquoted": "A tag is sent as the server wrote it.",
        "conditional-etag-forward-unquoted": "A request's own fields are sent unchanged.",
        "304-etag-update-response-Content-Encoding": ofTheBody,
        "304-etag-update-response-Content-Range": ofTheBody, "304-etag-update-response-Content-Type": ofTheBody,
        "304-etag-update-response-ETag": "A 304 with another tag is about another response.",
        "304-etag-update-response-Set-Cookie": secret, "304-etag-update-response-Set-Cookie2": secret,
        "other-age-delay": "A response that was just received has the fields that its server sent.",
    ]
    private static let notANumber = "A lifetime that isn't a number is zero."
    private static let everyStatus = "In these runs the caller accepts every status, so a 503 is an answer."
    private static let overByThen = "The tenth of the time since `Last-Modified` is over by then."
    private static let ofTheBody = "Fields that describe the body stay, as the body does."
    private static let keptApart = "An unknown field may be no list, and another value of it another user's."
    private static let secret = "Cookies are secrets, which are not stored on disk."

    /// Those that fail over some transports in addition.
    private static let deviationsOfTransports: [Transport: [String: String]] = [
        .curl: ["headers-store-Transfer-Encoding": unknownCoding],
        .urlSession: [
            "headers-store-Transfer-Encoding": unknownCoding, "headers-store-Content-Encoding": unknownCoding,
        ],
    ]
    private static let unknownCoding = "No client can use a body in a coding that it doesn't know."

    @Test func requiredCases_pass_andNoImplementationIsAhead() async throws {
        let set = try HTTPCacheCaseSet.current.get()
        var page = HTTPCachePage(set: set, reasons: Self.deviations.merging(Self.observations) { first, _ in first })
        for transport in Transport.available {
            let results = try await results(of: set, over: transport)
            let deviations = Self.deviations.merging(Self.deviationsOfTransports[transport] ?? [:]) { first, _ in first
            }
            judge(results, set, deviations)
            page.add(results, over: transport.rawValue, Self.deviationsOfTransports[transport] ?? [:])
        }
        if let path = ProcessInfo.processInfo.environment["ALCEDO_HTTP_TABLE"] {
            try page.text.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    private func results(
        of set: HTTPCacheCaseSet, over transport: Transport
    ) async throws -> [HTTPCacheResult] {
        let (origin, clock) = (ConformanceOrigin(), ConformanceClock())
        let server = try ConformanceServer(origin, clock)
        switch transport {
        case .inProcess:
            let client = try CachingClient(ConformanceDataLoader(origin: origin, clock: clock), clock)
            return await HTTPCacheRunner(origin: origin, clock: clock, client: client.client).results(of: set)
        case .curl:
            #if os(Linux) && Curl
            let client = try CachingClient(CurlDataLoader(), clock)
            return await HTTPCacheRunner(origin: origin, clock: clock, base: server.base, client: client.client)
                .results(of: set)
            #else
            return []
            #endif
        case .urlSession:
            let client = try CachingClient(URLSessionDataLoader(), clock)
            return await HTTPCacheRunner(origin: origin, clock: clock, base: server.base, client: client.client)
                .results(of: set)
        }
    }

    private func judge(_ results: [HTTPCacheResult], _ set: HTTPCacheCaseSet, _ deviations: [String: String]) {
        for result in results where result.test.kind == .required && deviations[result.test.id] == nil {
            #expect(result.verdict.isPass, "\(result.test.id): \(result.verdict.rawValue), \(result.message ?? "")")
        }
        for result in results where result.test.kind == .optimal && !result.verdict.isPass {
            #expect(deviations[result.test.id] != nil, "\(result.test.id): \(result.message ?? "")")
        }
        let core = results.filter { $0.test.profile == "core" }
        // One case asks for what isn't safe.
        let optimal = core.filter { $0.test.kind == .optimal && deviations[$0.test.id] != Self.keptApart }
        if optimal.count > 40 {
            #expect(Double(optimal.count { $0.verdict.isPass }) >= 0.95 * Double(optimal.count))
        }
        for kind in [HTTPCacheCase.Kind.required, .optimal] {
            let cases = results.filter { $0.test.kind == kind }
            for name in set.profile.implementations {
                let others = cases.count { set.profile.rows[$0.test.id]?.verdicts[name]?.isPass ?? false }
                #expect(cases.count { $0.verdict.isPass } >= others, "\(name) is ahead")
            }
        }
    }
}

/// A loader as the client of a conformance case.
struct CachingClient {
    private let loader: ImageLoader
    private let marker: ConformanceMarker
    private let directory: TemporaryDirectory

    init(_ transport: some DataLoading, _ clock: ConformanceClock) throws {
        directory = try TemporaryDirectory()
        marker = ConformanceMarker(transport)
        var configuration = ImageLoader.Configuration()
        configuration.disk = .init(directory: directory.url.appending(path: "cache"))
        configuration.dataLoader = marker
        configuration.clock = clock.durations
        configuration.timeOfDay = { clock.secondsSince1970 }
        configuration.download.retry = .none
        configuration.download.failureLifetimes = .none
        configuration.download.response.acceptedStatus = 200...999
        // The suite takes a response that doesn't say for one that is stale.
        configuration.download.caching.defaultLifetime = .zero
        loader = ImageLoader(configuration)
    }

    var client: ConformanceClient {
        { [loader, marker, directory] request in
            defer { withExtendedLifetime(directory) {} }
            marker.mark(request)
            var message = ImageRequest(url: request.url)
            message.headers = request.headers
            if request.revalidates { message.readPolicy = .revalidate }
            do throws(ImageLoaderError) {
                let response = try await loader.dataResponse(for: message)
                guard let head = response.head else { return .failure(ConformanceNetworkError("no head")) }
                return .success(ConformanceReply(status: head.status, headers: head.headers, body: response.data))
            } catch {
                return .failure(ConformanceNetworkError("\(error)"))
            }
        }
    }
}
#endif
