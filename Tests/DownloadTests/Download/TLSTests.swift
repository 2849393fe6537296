import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Certificates and TLS, for every transport.
@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    private let files = ["a": Data("content".utf8)]

    private func error(of transport: any DataLoading, _ url: URL) async -> ImageLoaderError? {
        await #expect(throws: ImageLoaderError.self) {
            try await transport.load(
                DataRequest(url: url, idleTimeout: .seconds(3_600)), into: ResponseSink(maximumBytes: 100))
        }
    }

    /// The good certificate is signed by an authority that the system doesn't know.
    @Test(arguments: RealTransport.all, TestCertificates.Kind.allCases)
    func untrustedCertificate_isRejected(transport: RealTransport, kind: TestCertificates.Kind)
        async throws
    {
        let server = try TLSServer(files: files, certificate: kind)
        let error = await error(of: transport.make(TransportSettings()), server.url("/a"))
        guard case .connectionFailed(.insecure, let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!detail.text.isEmpty && detail.code != nil)
    }

    @Test(.enabled(if: NginxServer.isInstalled), arguments: RealTransport.all)
    func serverWithoutTLS_isRejected(transport: RealTransport) async throws {
        let server = try NginxServer(files: files)
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/a"))
        let error = await error(of: transport.make(TransportSettings()), url)
        if case .connectionFailed(.insecure, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(arguments: RealTransport.all, HangingUpServer.Manner.allCases)
    func connectionClosedDuringTheHandshake_isLost(transport: RealTransport, manner: HangingUpServer.Manner)
        async throws
    {
        let server = try HangingUpServer(manner)
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/a"))
        let error = await error(of: transport.make(TransportSettings()), url)
        if case .connectionFailed(.lost, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    // MARK: Configured trust

    private func body(of transport: any DataLoading, _ url: URL) async throws(ImageLoaderError) -> Data {
        let sink = ResponseSink(maximumBytes: 100)
        // A load that hangs ends with an error, so that the test ends.
        try await transport.load(DataRequest(url: url, idleTimeout: .seconds(30)), into: sink)
        return try sink.finish().body
    }

    @Test(arguments: RealTransport.all.filter(\.keepsTrust))
    func configuredAuthority_isTrusted_forItsHosts(transport: RealTransport) async throws {
        let good = try TLSServer(files: files, certificate: .good)
        var settings = TransportSettings()
        settings.authorities = good.authority
        #expect(try await body(of: transport.make(settings), good.url("/a")) == files["a"])
        let wrong = try TLSServer(files: files, certificate: .wrongHost)
        settings.authorities = wrong.authority
        let error = await error(of: transport.make(settings), wrong.url("/a"))
        if case .connectionFailed(.insecure, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(arguments: RealTransport.all.filter(\.keepsTrust))
    func uncheckedHost_exemptsNoOtherHost(transport: RealTransport) async throws {
        let server = try TLSServer(files: files, certificate: .selfSigned)
        var settings = TransportSettings()
        settings.insecureHostsWithUncheckedCertificates = ["127.0.0.1"]
        #expect(try await body(of: transport.make(settings), server.url("/a")) == files["a"])
        settings.insecureHostsWithUncheckedCertificates = ["localhost"]
        let error = await error(of: transport.make(settings), server.url("/a"))
        if case .connectionFailed(.insecure, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    /// The exemption of a host must not extend to the host that it redirects to.
    @Test(arguments: RealTransport.all.filter(\.keepsTrust))
    func redirectToACheckedHost_isChecked(transport: RealTransport) async throws {
        let secure = try TLSServer(files: files, certificate: .selfSigned)
        let plain = try LoopbackServer()
        plain.enqueue(.redirect(to: secure.url("/a").absoluteString))
        var settings = TransportSettings()
        settings.insecureHostsWithUncheckedCertificates = ["localhost"]
        let url = try #require(URL(string: "http://localhost:\(plain.port)/a"))
        let error = await error(of: transport.make(settings), url)
        if case .connectionFailed(.insecure, _) = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(.enabled(if: NginxServer.isInstalled), arguments: RealTransport.all.filter(\.keepsTrust))
    func cancellation_overHTTP2_leavesOtherLoadsAlone(transport: RealTransport) async throws {
        let server = try NginxServer(files: files)
        var settings = TransportSettings()
        settings.authorities = server.authority
        let made = transport.make(settings)
        let loads = (0..<100).map { _ in Task { try await body(of: made, server.secureURL("/a")) } }
        for number in stride(from: 0, to: 100, by: 3) { loads[number].cancel() }
        for (number, load) in loads.enumerated() {
            switch await load.result {
            case .success(let body): #expect(body == files["a"])
            case .failure(let error): #expect(number % 3 == 0 && error as? ImageLoaderError == .cancelled)
            }
        }
    }

    @Test(.enabled(if: NginxServer.isInstalled), arguments: RealTransport.all.filter(\.keepsTrust))
    func brokenBody_isTruncated_overHTTP2(transport: RealTransport) async throws {
        let origin = try LoopbackServer()
        let server = try NginxServer(files: files, proxying: origin.port)
        var settings = TransportSettings()
        settings.authorities = server.authority
        let made = transport.make(settings)
        let content = Data(count: 100_000)
        let whole = LoopbackServer.Reply.bytes(content)
        origin.enqueue(whole)
        let sink = ResponseSink(maximumBytes: content.count)
        try await made.load(DataRequest(url: server.secureURL("/proxied/a")), into: sink)
        #expect(try sink.finish().body == content)
        for broken in [whole.truncating(.afterBytes(40_000)), whole.resetting(.afterBytes(40_000))] {
            origin.enqueue(broken)
            let sink = ResponseSink(maximumBytes: content.count)
            let error = await #expect(throws: ImageLoaderError.self) {
                try await made.load(DataRequest(url: server.secureURL("/proxied/a")), into: sink)
            }
            guard case .truncated(let received, content.count) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(received <= 40_000)
        }
    }
}
