#if os(Linux) && Curl
extension EnvironmentVariable {
    static let cache = [caches]

    /// Read by libcurl, and by ``NetworkOptions``.
    static let network = [
        Self("http_proxy", "https_proxy", "HTTPS_PROXY", meaning: "the proxies for http and https URLs"),
        Self("all_proxy", "ALL_PROXY", meaning: "the proxy for all other URLs"),
        Self("no_proxy", "NO_PROXY", meaning: "the hosts that are reached without a proxy, with commas between them"),
        Self("SSL_CERT_FILE", meaning: "the certificate authorities to trust, in PEM, unless --cacert names them"),
    ]
}
#elseif os(Linux)
extension EnvironmentVariable {
    static let cache = [caches]
    static let network: [Self] = []
}
#else
extension EnvironmentVariable {
    static let cache: [Self] = []
    static let network: [Self] = []
}
#endif

#if os(Linux)
extension EnvironmentVariable {
    private static let caches = Self("XDG_CACHE_HOME", meaning: "the directory of all caches; default ~/.cache")
}
#endif
