#if os(Linux) && Curl
extension EnvironmentVariable {
    static let cache = [caches]

    /// Read by libcurl, and by ``NetworkOptions``.
    static let network = [
        Self("http_proxy", "https_proxy", "HTTPS_PROXY", meaning: "the proxies for http and https URLs"),
        Self("all_proxy", "ALL_PROXY", meaning: "the proxy for all other URLs"),
        Self("no_proxy", "NO_PROXY", meaning: "the hosts to reach without a proxy, separated by commas"),
        Self(
            "SSL_CERT_FILE",
            meaning: "a file with the certificate authorities to trust, in PEM, unless --cacert is given"),
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
    private static let caches = Self(
        "XDG_CACHE_HOME", meaning: "the directory that contains all caches; default ~/.cache")
}
#endif
