import Alcedo

/// A transport that the demo loads over.
struct DemoTransport: Sendable {
    let name: String
    let dataLoader: any DataLoading

    fileprivate static var urlSession: Self { Self(name: "URLSession", dataLoader: URLSessionDataLoader()) }
}

#if os(Linux) && Curl
extension DemoTransport {
    /// The default one first.
    static func all() -> [Self] { [Self(name: "libcurl", dataLoader: CurlDataLoader()), urlSession] }
}
#else
extension DemoTransport {
    /// URLSession is the only one.
    static func all() -> [Self] { [urlSession] }
}
#endif
