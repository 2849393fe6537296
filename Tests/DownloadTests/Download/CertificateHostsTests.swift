import Foundation
import Testing

@testable import Alcedo

@Suite struct CertificateHostsTests {
    @Test func hosts_areComparedInNormalForm() {
        var settings = TransportSettings()
        settings.insecureHostsWithUncheckedCertificates = ["LocalHost", "[::1]", "no host"]
        settings.clientCertificate = .init(certificate: URL(filePath: "/a.p12"), hosts: ["Bücher.test", "127.1"])
        let hosts = CertificateHosts(settings)
        #expect(hosts.includesUnchecked("localhost") && hosts.includesUnchecked("::1"))
        #expect(!hosts.includesUnchecked("no host") && !hosts.includesUnchecked("127.0.0.1"))
        #expect(hosts.includesCertified("xn--bcher-kva.test") && hosts.includesCertified("127.0.0.1"))
        #expect(!hosts.includesCertified("localhost"))
    }

    @Test func settings_decideAboutServers_withAuthoritiesOrUncheckedHosts() {
        var settings = TransportSettings()
        settings.clientCertificate = .init(certificate: URL(filePath: "/a.p12"), hosts: ["a.test"])
        #expect(!settings.decidesAboutServers)
        settings.authorities = URL(filePath: "/a.pem")
        #expect(settings.decidesAboutServers)
        settings.authorities = nil
        settings.insecureHostsWithUncheckedCertificates = ["a.test"]
        #expect(settings.decidesAboutServers)
    }
}
