public import Foundation

/// The destinations that a loader may connect to.
///
/// A program that loads URLs from its users can be made to send requests into its own network: to other servers behind
/// the firewall, to the machine itself, or to the service where a cloud keeps credentials. A policy stops that. It is
/// checked before the first request and after each redirect, and the address is checked when the connection is made, so
/// it doesn't matter how a host is spelled or when its name resolves to which address.
///
/// The policy is part of the keys of images in both caches: a loader doesn't find what one with another policy has
/// loaded.
public struct NetworkPolicy: Sendable, Hashable {
    /// The schemes of URLs that are loaded: any of "http", "https" and "file".
    ///
    /// Default nil: all of them, but no "file" if ``hosts`` or ``ports`` are listed. Doesn't apply to data URLs, which
    /// need no network.
    public var schemes: Set<String>?
    /// The ports that are connected to, including the default ones, 80 and 443. Default nil, all of them.
    public var ports: Set<Int>?
    /// The hosts that are connected to: "images.example.org", or "*.example.org" for all names that end in
    /// ".example.org". They are read as hosts of URLs are; see <doc:URLs>. Default nil, all of them.
    public var hosts: Set<String>?
    /// Whether only public addresses are connected to. Default false.
    ///
    /// Private, loopback and link-local addresses are refused, and all others that aren't globally reachable; see
    /// ``NetworkAddress/isPublic``. The transport must support it; see ``DataLoading/checksAddresses``. Proxies that
    /// the environment names aren't used, because the address would be theirs.
    public var requiresPublicAddresses = false
    /// Origins that are always allowed, whatever the rest of the policy says: "http://images.internal:8080".
    ///
    /// Default none. Scheme, host and port must be the same; without a port, it is the scheme's default one.
    public var allowedOrigins: Set<String> = []
    /// A proxy that enforces the policy: it is connected to whatever its address, and resolves the names of hosts.
    ///
    /// An http or https URL. It is used for all but the ``allowedOrigins``, whatever the environment says. Default nil,
    /// none. Only `CurlDataLoader` supports it.
    public var proxy: URL?

    /// Creates a policy that allows everything.
    public init() {}

    /// Allows everything. The default of an app.
    public static let unrestricted = Self()

    /// Allows http and https URLs at public addresses. The default of ``ImageLoader/Configuration/server``.
    public static let publicInternet: Self = {
        var policy = Self()
        policy.schemes = ["http", "https"]
        policy.requiresPublicAddresses = true
        return policy
    }()
}

extension NetworkPolicy {
    /// Whether a transport must check addresses or use a proxy.
    private var needsTransport: Bool { requiresPublicAddresses || proxy != nil }

    func validate() throws(ImageLoaderError) {
        for scheme in schemes ?? [] where !["http", "https", "file"].contains(scheme.lowercased()) {
            throw .unsupportedConfiguration(
                "download.network.schemes has \(scheme.debugDescription), and may have http, https and file")
        }
        for port in ports ?? [] {
            try ImageLoaderError.require("a port in download.network.ports", port, least: 1, most: 65_535)
        }
        for host in hosts ?? [] where host.normalHostPattern == nil {
            throw .unsupportedConfiguration(
                "download.network.hosts has \(host.debugDescription), which isn't a host such as "
                    + "\"images.example.org\" or \"*.example.org\"")
        }
        for text in allowedOrigins where Self.origin(text) == nil {
            throw .unsupportedConfiguration(
                "download.network.allowedOrigins has \(text.debugDescription), which isn't an origin such as "
                    + "\"http://images.internal:8080\"")
        }
        if let proxy, !ParsedURL(proxy).isWeb {
            throw .unsupportedConfiguration("download.network.proxy is no http or https URL with a host")
        }
    }

    /// Throws if a transport can't keep the policy.
    func validate(for transport: (any DataLoading)?) throws(ImageLoaderError) {
        guard needsTransport, !(transport?.checksAddresses ?? DefaultDataLoader.checksAddresses) else { return }
        let setting = requiresPublicAddresses ? "requiresPublicAddresses" : "proxy"
        let name = transport.map { "\(type(of: $0))" } ?? "URLSessionDataLoader"
        throw .unsupportedConfiguration(
            "\(name) can't keep download.network.\(setting): it doesn't check the addresses that it connects to. "
                + "CurlDataLoader does.")
    }

    /// The origin that `text` is; nil if it is anything else.
    static func origin(_ text: String) -> String? {
        guard let url = URL(string: text).map({ ParsedURL($0) }), url.isWeb, url.text == url.origin + "/" else {
            return nil
        }
        return url.origin
    }

    /// The policy as text, which distinguishes policies in keys; empty if everything is allowed.
    var identity: String {
        guard self != .unrestricted else { return "" }
        func list(_ name: String, _ members: Set<String>?) -> String {
            members.map { "\(name) \($0.map { "\($0.utf8.count) \($0.lowercased())" }.sorted())" } ?? ""
        }
        return [
            list("schemes", schemes), list("ports", ports.map { Set($0.map(String.init)) }), list("hosts", hosts),
            requiresPublicAddresses ? "public" : "", list("origins", allowedOrigins),
            list("proxy", proxy.map { [$0.absoluteString] }),
        ].joined(separator: ";")
    }
}

extension String {
    /// A host in normal form, or "*." and a domain; nil if it is neither.
    var normalHostPattern: String? {
        let isDomain = hasPrefix("*.")
        let name = isDomain ? String(dropFirst(2)) : self
        guard !name.contains("*"), let host = URLHost.normal(name) else { return nil }
        return isDomain ? "*." + host : host
    }
}
