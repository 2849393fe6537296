/// The transport of a loader whose configuration doesn't set one.
enum DefaultDataLoader {}

#if os(Linux) && Curl
extension DefaultDataLoader {
    static func make() -> any DataLoading { CurlDataLoader() }
    static let checksAddresses = true
}
#else
extension DefaultDataLoader {
    static func make() -> any DataLoading { URLSessionDataLoader() }
    static let checksAddresses = false
}
#endif
