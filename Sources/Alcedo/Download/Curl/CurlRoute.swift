#if os(Linux) && Curl
/// The route of a hop to its server, as the request's network policy requires.
struct CurlRoute: Equatable {
    /// The proxy: empty for none, and nil for the one that the environment names.
    let proxy: String?
    /// Whether addresses are checked before they are connected to.
    let isChecked: Bool

    init(_ request: DataRequest) {
        proxy = request.network?.proxy(for: request.parsed)
        isChecked = request.network?.checksAddress(of: request.parsed) ?? false
    }
}
#endif
