#if os(Linux)
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The settings that URLSession doesn't support on Linux.
@Suite struct SessionRefusalTests {
    @Test func unsupportedSettings_areRejected_beforeConnecting() async throws {
        let server = try LoopbackServer()
        var authorities = TransportSettings()
        authorities.authorities = URL(filePath: "/own.pem")
        var insecure = TransportSettings()
        insecure.insecureHostsWithUncheckedCertificates = ["127.0.0.1"]
        var certificate = TransportSettings()
        certificate.clientCertificate = .init(certificate: URL(filePath: "/a.pem"), hosts: ["host.test"])
        for (settings, name) in [
            (authorities, "authorities"), (insecure, "insecureHostsWithUncheckedCertificates"),
            (certificate, "clientCertificate"),
        ] {
            let client = TransportClient(transport: URLSessionDataLoader(settings), server: server)
            let error = await #expect(throws: ImageLoaderError.self) { try await client.download() }
            guard case .unsupportedConfiguration(let text) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(text.contains("TransportSettings.\(name)") && text.contains("CurlDataLoader"))
        }
        #expect(server.statistics.connectionsAccepted == 0)
    }
}
#endif
