#if os(Linux) && Curl
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// A server that demands a certificate of its client.
@Suite(.timeLimit(.minutes(1))) struct ClientCertificateTests {
    private let files = ["a": Data("content".utf8)]

    private func settings(
        _ server: TLSServer, _ certificate: TransportSettings.ClientCertificate?
    ) -> TransportSettings {
        var settings = TransportSettings()
        settings.authorities = server.authority
        settings.clientCertificate = certificate
        return settings
    }

    private func load(_ url: URL, _ settings: TransportSettings) async throws(ImageLoaderError) -> Data {
        let sink = ResponseSink(maximumBytes: 100)
        // A load that hangs ends with an error, so that the test ends.
        try await CurlDataLoader(settings).load(DataRequest(url: url, idleTimeout: .seconds(30)), into: sink)
        return sink.body
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"], [nil, "open sesame"])
    func certificate_isShown_toItsHost(version: String, password: String?) async throws {
        let server = try TLSServer(files: files, demandsCertificate: true, version: version)
        let certificates = try #require(server.certificates)
        try certificates.makeClient(password: password)
        var certificate = TransportSettings.ClientCertificate(
            certificate: certificates.clientCertificate, key: certificates.clientKey, password: password,
            hosts: ["127.0.0.1"])
        #expect(try await load(server.url("/a"), settings(server, certificate)) == files["a"])
        // Without it, and with one that is for another host.
        certificate.hosts = ["localhost"]
        for certificate in [nil, certificate] {
            let error = await #expect(throws: ImageLoaderError.self) {
                try await load(server.url("/a"), settings(server, certificate))
            }
            switch error {
            case .connectionFailed(.insecure, _): break
            // The server closes after the handshake, so the request may meet a closed connection first.
            case .connectionFailed(.lost, _) where version == "-tls1_3": break
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test func certificateAndKey_mayBeInOneFile() async throws {
        let server = try TLSServer(files: files, demandsCertificate: true)
        let certificates = try #require(server.certificates)
        try certificates.makeClient()
        let both = try Data(contentsOf: certificates.clientKey) + Data(contentsOf: certificates.clientCertificate)
        try both.write(to: certificates.clientCertificate)
        let certificate = TransportSettings.ClientCertificate(
            certificate: certificates.clientCertificate, hosts: ["127.0.0.1"])
        #expect(try await load(server.url("/a"), settings(server, certificate)) == files["a"])
    }

    @Test func unusableFile_isNamed_andNothingIsSent() async throws {
        let server = try TLSServer(files: files, demandsCertificate: true)
        let certificates = try #require(server.certificates)
        try certificates.makeClient(password: "open sesame")
        let (file, key) = (certificates.clientCertificate, certificates.clientKey)
        let missing = file.deletingLastPathComponent().appending(path: "missing.pem")
        for (certificate, key, password, text) in [
            (missing, key, "open sesame", "the client certificate in \(missing.path) can't be read"),
            (file, missing, "open sesame", "the client certificate's key in \(missing.path) can't be read"),
            (file, key, "wrong", "private key"), (file, key, nil, "private key"),
            (key, key, "open sesame", "certificate"),
        ] as [(URL, URL, String?, String)] {
            let error = await #expect(throws: ImageLoaderError.self) {
                try await load(
                    server.url("/a"),
                    settings(
                        server,
                        .init(certificate: certificate, key: key, password: password, hosts: ["127.0.0.1"])))
            }
            #expect(error?.kind == .unsupportedConfiguration)
            #expect("\(String(describing: error))".contains(text), "\(String(describing: error))")
            #expect(!"\(String(describing: error))".contains("sesame"))
        }
    }
}
#endif
