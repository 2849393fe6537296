/// A case of http-tests/cache-tests: the requests of a client, the replies of the origin, and the duties of a cache
/// between them.
///
/// PROTOCOL.md, which accompanies the cases, defines the meaning of every property.
struct HTTPCacheCase: Decodable, Sendable {
    enum Kind: String, Decodable, Sendable {
        /// The specification demands it.
        case required
        /// An efficient cache does it.
        case optimal
        /// A question to which either answer is allowed.
        case check
    }

    let id: String
    let kind: Kind
    /// The caches that the case is about, such as `core` for a private cache of GET responses.
    let profile: String
    var isForContentNetworks = false
    var isSkippedInBrowsers = false
    /// The cases without which this one proves nothing.
    var dependencies: [String] = []
    let requests: [Request]

    /// Whether the case can be run with a cache inside the client. PROTOCOL.md calls this browser mode.
    var appliesToClients: Bool { !isForContentNetworks && !isSkippedInBrowsers }

    private enum CodingKeys: String, CodingKey {
        case id, kind, profile, requests
        case isForContentNetworks = "cdn_only"
        case isSkippedInBrowsers = "browser_skip"
        case dependencies = "depends_on"
    }
}
