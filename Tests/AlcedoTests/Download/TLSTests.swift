import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// Certificates that are not to be trusted, for every transport.
@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    private let files = ["a": Data("content".utf8)]

    private func error(of transport: any DataLoading, _ url: URL) async -> ImageLoaderError? {
        await #expect(throws: ImageLoaderError.self) {
            try await transport.load(DataRequest(url: url), into: ResponseSink(byteLimit: 100))
        }
    }

    /// The good one is signed by an authority that the system does not know.
    @Test(arguments: TransportUnderTest.all, TestCertificates.Kind.allCases)
    func aCertificateThatCannotBeTrusted_isRefused(transport: TransportUnderTest, kind: TestCertificates.Kind)
        async throws
    {
        let server = try TLSServer(files: files, certificate: kind)
        let error = await error(of: transport.make(TransportSettings()), server.url("/a"))
        guard case .connectionFailed(.insecure, let detail) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!detail.isEmpty)
    }

    @Test(.enabled(if: NginxServer.isInstalled), arguments: TransportUnderTest.all)
    func aServerThatSpeaksNoTLS_isRefused(transport: TransportUnderTest) async throws {
        let server = try NginxServer(files: files)
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/a"))
        let error = await error(of: transport.make(TransportSettings()), url)
        if case .connectionFailed(.insecure, _) = error {} else { Issue.record("\(String(describing: error))") }
    }
}
