#if canImport(Darwin)
import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// The settings for certificates, by URLSession on Apple's systems. `TLSTests` covers authorities and unchecked hosts.
@Suite(.timeLimit(.minutes(1))) struct SessionCertificatesTests {
    private let files = ["a": Data("content".utf8)]

    private func load(_ url: URL, with transport: URLSessionDataLoader) async throws(ImageLoaderError) -> Data {
        let sink = ResponseSink(maximumBytes: 100)
        // A load that hangs ends with an error, so that the test ends.
        try await transport.load(DataRequest(url: url, idleTimeout: .seconds(30)), into: sink)
        return sink.body
    }

    private func refusal(_ settings: TransportSettings) async throws -> String? {
        let url = try #require(URL(string: "https://127.0.0.1:9/a"))
        let error = await #expect(throws: ImageLoaderError.self) {
            try await load(url, with: URLSessionDataLoader(settings))
        }
        guard case .unsupportedConfiguration(let text) = error else { return nil }
        return text
    }

    @Test(arguments: [nil, "open sesame"])
    func archive_isShown_toItsHost(password: String?) async throws {
        let server = try TLSServer(files: files, demandsCertificate: true)
        let certificates = try #require(server.certificates)
        try certificates.makeClient()
        try certificates.makeClientArchive(password: password)
        var settings = TransportSettings()
        settings.authorities = server.authority
        settings.clientCertificate = .init(
            certificate: certificates.clientArchive, password: password, hosts: ["127.0.0.1"])
        #expect(try await load(server.url("/a"), with: URLSessionDataLoader(settings)) == files["a"])
        settings.clientCertificate?.hosts = ["localhost"]
        await #expect(throws: ImageLoaderError.self) {
            try await load(server.url("/a"), with: URLSessionDataLoader(settings))
        }
    }

    @Test func unusableFile_isNamed_andNothingIsSent() async throws {
        let certificates = try TestCertificates(.good)
        try certificates.makeClient()
        try certificates.makeClientArchive(password: "open sesame")
        let (archive, pem) = (certificates.clientArchive, certificates.clientCertificate)
        let missing = archive.deletingLastPathComponent().appending(path: "missing")
        for (certificate, key, password, text) in [
            (missing, nil, nil, "\(missing.path), can't be read"), (pem, certificates.clientKey, nil, "PKCS #12"),
            (pem, nil, nil, pem.path), (archive, nil, "wrong", archive.path), (archive, nil, nil, archive.path),
        ] as [(URL, URL?, String?, String)] {
            var settings = TransportSettings()
            settings.clientCertificate = .init(
                certificate: certificate, key: key, password: password, hosts: ["127.0.0.1"])
            let message = try await refusal(settings)
            #expect(message?.contains(text) == true && message?.contains("sesame") == false, "\(message ?? "")")
        }
        for authorities in [missing, archive] {
            var settings = TransportSettings()
            settings.authorities = authorities
            #expect(try await refusal(settings)?.contains(authorities.path) == true)
        }
    }

    @Test func closureAndAuthorities_contradictEachOther() async throws {
        var settings = TransportSettings()
        settings.authorities = try TestCertificates(.good).authority
        let transport = URLSessionDataLoader(settings, trusting: { _, _ in true })
        let url = try #require(URL(string: "https://127.0.0.1:9/a"))
        let error = await #expect(throws: ImageLoaderError.self) { try await load(url, with: transport) }
        #expect(error?.kind == .unsupportedConfiguration)
    }
}
#endif
