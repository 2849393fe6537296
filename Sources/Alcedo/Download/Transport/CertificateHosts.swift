/// The hosts for which a transport's settings make exceptions about certificates, in normal form.
struct CertificateHosts: Sendable {
    private let unchecked: Set<String>
    private let certified: Set<String>

    init(_ settings: TransportSettings) {
        unchecked = Set(settings.insecureHostsWithUncheckedCertificates.compactMap { URLHost.normal($0) })
        certified = Set(settings.clientCertificate?.hosts.compactMap { URLHost.normal($0) } ?? [])
    }

    /// Whether `host`, in normal form, may have any certificate.
    func includesUnchecked(_ host: String) -> Bool { !unchecked.isEmpty && unchecked.contains(host) }

    /// Whether `host`, in normal form, is shown the client's certificate if it asks for one.
    func includesCertified(_ host: String) -> Bool { !certified.isEmpty && certified.contains(host) }
}

extension TransportSettings {
    /// Whether these settings change which servers are trusted.
    var decidesAboutServers: Bool { authorities != nil || !insecureHostsWithUncheckedCertificates.isEmpty }
}
