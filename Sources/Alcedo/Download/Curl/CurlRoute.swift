#if os(Linux) && Curl
/// How a hop reaches its server, by the request's network policy.
struct CurlRoute: Equatable {
    /// The proxy: empty for none, and nil for the one that the environment names.
    let proxy: String?
    /// Whether the address that is connected to is checked.
    let isChecked: Bool

    init(_ request: DataRequest) {
        proxy = request.network?.proxy(for: request.parsed)
        isChecked = request.network?.checksAddress(of: request.parsed) ?? false
    }
}
#endif
