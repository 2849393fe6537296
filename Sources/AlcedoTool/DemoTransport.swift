import Alcedo

/// A transport used by the demo.
struct DemoTransport: Sendable {
    let name: String
    let dataLoader: any DataLoading

    fileprivate static var urlSession: Self { Self(name: "URLSession", dataLoader: URLSessionDataLoader()) }
}

#if os(Linux) && Curl
extension DemoTransport {
    /// All transports, the default one first.
    static func all() -> [Self] { [Self(name: "libcurl", dataLoader: CurlDataLoader()), urlSession] }
}
#else
extension DemoTransport {
    /// All transports; here URLSession is the only one.
    static func all() -> [Self] { [urlSession] }
}
#endif
