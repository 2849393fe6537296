import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How a request is transferred, where it differs from its loader.
@Suite(.timeLimit(.minutes(1))) struct TransferChoicesTests {
    @Test func retry_isThatOfTheRequest() async throws {
        let transport = ScriptedDataLoader { _ in .status(503) }
        var fixture = try LoaderFixture(transport)
        fixture.configuration.download.retry = .none
        var request = ImageRequest(url: try .test())
        var policy = RetryPolicy.atOnce()
        policy.attempts = 4
        request.retry = policy
        let loader = fixture.makeLoader()
        await #expect(throws: ImageLoaderError.badStatus(503)) { try await loader.image(for: request) }
        #expect(transport.callCount == 4)
        await #expect(throws: ImageLoaderError.badStatus(503)) { try await loader.image(for: .test("b.png")) }
        #expect(transport.callCount == 5)
    }

    @Test func idleTimeout_reachesTheTransport() async throws {
        let (png, seen) = (try Pictures.png(), Recorder<DataRequest>())
        let loader = try LoaderFixture(
            ScriptedDataLoader { request in
                seen.record(request)
                return .bytes(png)
            }
        ).makeLoader()
        var request = ImageRequest(url: try .test())
        request.idleTimeout = .seconds(2)
        request.allowsExpensiveNetwork = false
        _ = try await loader.image(for: request)
        _ = try await loader.image(for: .test("b.png"))
        #expect(seen.values.map(\.idleTimeout) == [.seconds(2), .seconds(15)])
        #expect(seen.values.map(\.allowsExpensiveNetwork) == [false, true])
        #expect(seen.values.allSatisfy { $0.allowsConstrainedNetwork })
    }

    @Test func faultyChoices_areRefused() async throws {
        let transport = ScriptedDataLoader { _ in .status(404) }
        let loader = try LoaderFixture(transport).makeLoader()
        var policy = RetryPolicy()
        policy.attempts = 0
        let changes: [(inout ImageRequest) -> Void] = [
            { $0.idleTimeout = .zero }, { $0.retry = policy }, { $0.connectivityWait = .seconds(-1) },
        ]
        for change in changes {
            var request = ImageRequest(url: try .test())
            change(&request)
            await #expect { try await loader.image(for: request) } throws: { error in
                if case .unsupportedConfiguration? = error as? ImageLoaderError { true } else { false }
            }
        }
        #expect(transport.callCount == 0)
    }

    @Test func defaultChoices_leaveARequestPlain() throws {
        var request = ImageRequest(url: try .test())
        request.idleTimeout = .seconds(1)
        request.allowsConstrainedNetwork = false
        (request.idleTimeout, request.allowsConstrainedNetwork) = (nil, true)
        #expect(request == ImageRequest(url: try .test()) && request.transfer == nil)
    }

    // MARK: Foundation's requests

    @Test func urlRequest_keepsWhatItSays() throws {
        var foundation = URLRequest(url: try .test("a.png#part"), cachePolicy: .reloadRevalidatingCacheData)
        foundation.httpMethod = "POST"
        foundation.setValue("b", forHTTPHeaderField: "X-A")
        foundation.httpBody = Data("body".utf8)
        foundation.timeoutInterval = 2.5
        let request = try ImageRequest(foundation)
        #expect(request.url == foundation.url && request.method == .post && request.body == Data("body".utf8))
        #expect(request.headers["X-A"] == "b" && request.headers.count == 1)
        #expect(request.readPolicy == .revalidate && request.idleTimeout == .milliseconds(2_500))
    }

    @Test(arguments: [TimeInterval.infinity, .greatestFiniteMagnitude]) func endlessTimeout_isAYear(
        _ time: TimeInterval
    ) throws {
        var request = URLRequest(url: try .test())
        request.timeoutInterval = time
        #expect(try ImageRequest(request).idleTimeout == .seconds(31_536_000))
    }

    @Test(arguments: [0, -1, TimeInterval.nan]) func timeoutThatIsNone_isThatOfTheLoader(_ time: TimeInterval) throws {
        var request = URLRequest(url: try .test())
        request.timeoutInterval = time
        #expect(try ImageRequest(request).idleTimeout == nil)
    }

    @Test func plainURLRequest_isAPlainRequest() throws {
        #expect(try ImageRequest(URLRequest(url: .test())) == ImageRequest(url: .test()))
    }

    @Test func policies_areMapped() throws {
        for (policy, expected) in [
            (URLRequest.CachePolicy.useProtocolCachePolicy, CacheReadPolicy?.none),
            (.reloadIgnoringLocalCacheData, .reload), (.reloadIgnoringLocalAndRemoteCacheData, .reload),
            (.returnCacheDataElseLoad, .immutable), (.returnCacheDataDontLoad, .cachedOnly),
        ] {
            #expect(try ImageRequest(URLRequest(url: .test(), cachePolicy: policy)).readPolicy == expected)
        }
    }

    @Test func unusableURLRequest_isRefused() throws {
        var request = URLRequest(url: try .test())
        request.httpBodyStream = InputStream(data: Data("a".utf8))
        #expect(throws: ImageLoaderError.unsupportedConfiguration("a URLRequest with a stream as its body")) {
            try ImageRequest(request)
        }
        request.url = nil
        #expect(throws: ImageLoaderError.invalidURL("", reason: "the URLRequest has none")) {
            try ImageRequest(request)
        }
    }
}
