#if canImport(Darwin)
import Foundation
import Security

extension TransportSettings {
    /// The answers to a session's challenges about certificates; nil if there are no settings for certificates. Reads
    /// the files.
    ///
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)`` if a file can't be used.
    func answersToChallenges() throws(ImageLoaderError) -> URLSessionDataLoader.ChallengeHook? {
        guard decidesAboutServers || clientCertificate != nil else { return nil }
        let certificates = try SessionCertificates(self)
        return { certificates.answer($0.protectionSpace) }
    }
}

/// Answers a session's challenges about certificates.
private struct SessionCertificates: Sendable {
    private let hosts: CertificateHosts
    /// In DER; nil for the system's.
    private let authorities: [Data]?
    private let credential: URLCredential?

    init(_ settings: TransportSettings) throws(ImageLoaderError) {
        hosts = CertificateHosts(settings)
        authorities = try settings.authorities?.readAuthorities()
        credential = try settings.clientCertificate?.makeCredential()
    }

    func answer(_ space: URLProtectionSpace) -> (URLSession.AuthChallengeDisposition, URLCredential?)? {
        let host = URLHost.normal(space.host) ?? space.host
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
            guard let trust = space.serverTrust else { return nil }
            if hosts.includesUnchecked(host) { return (.useCredential, URLCredential(trust: trust)) }
            guard let authorities else { return nil }
            return Self.isTrusted(trust, by: authorities)
                ? (.useCredential, URLCredential(trust: trust)) : (.cancelAuthenticationChallenge, nil)
        case NSURLAuthenticationMethodClientCertificate:
            return hosts.includesCertified(host) ? (.useCredential, credential) : nil
        default:
            return nil
        }
    }

    /// Whether a server's certificate is for its host, and signed by one of the authorities. Nothing is fetched to
    /// find that out, because the session's callbacks wait meanwhile.
    private static func isTrusted(_ trust: SecTrust, by authorities: [Data]) -> Bool {
        let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        return SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess
            && SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
            && SecTrustSetNetworkFetchAllowed(trust, false) == errSecSuccess
            && SecTrustEvaluateWithError(trust, nil)
    }
}

extension URL {
    /// The DER form of a PEM file's certificates.
    fileprivate func readAuthorities() throws(ImageLoaderError) -> [Data] {
        let file = try readCertificates("certificate authorities")
        guard let certificates = PEMCertificates.parse(file), !certificates.isEmpty,
            certificates.allSatisfy({ SecCertificateCreateWithData(nil, $0 as CFData) != nil })
        else { throw .unsupportedConfiguration("\(path) contains no certificate authorities in PEM, or damaged ones") }
        return certificates
    }
}
#endif
