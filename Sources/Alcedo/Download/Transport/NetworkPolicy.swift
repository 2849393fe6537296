public import Foundation

/// The destinations that a loader may connect to.
///
/// A program that loads URLs from its users can be made to send requests into its own network: to other servers behind
/// the firewall, to the machine itself, or to the service where a cloud keeps credentials. A policy stops that. It is
/// checked before the first request and after each redirect, and the address is checked when the connection is made, so
/// neither the spelling of a host nor a name that resolves to a different address later can evade it.
///
/// The policy is part of the keys of images in both caches: a loader doesn't find images that were loaded with another
/// policy.
public struct NetworkPolicy: Sendable, Hashable {
    /// The schemes of URLs that are loaded: any of "http", "https" and "file".
    ///
    /// Default nil: all of them, except "file" if ``hosts`` or ``ports`` is set. Doesn't apply to data URLs, which need
    /// no network.
    public var schemes: Set<String>?
    /// The allowed ports. The default ports, 80 and 443, must be listed as well. Default nil, all of them.
    public var ports: Set<Int>?
    /// The allowed hosts: "images.example.org", or "*.example.org" for all names that end in ".example.org". They are
    /// parsed like the hosts of URLs; see <doc:URLs>. Default nil, all of them.
    public var hosts: Set<String>?
    /// Whether only public addresses are allowed. Default false.
    ///
    /// Private, loopback and link-local addresses are refused, and all others that aren't globally reachable; see
    /// ``NetworkAddress/isPublic``. The transport must support it; see ``DataLoading/checksAddresses``. Proxies from
    /// the environment aren't used, because only the address of the proxy could be checked.
    public var requiresPublicAddresses = false
    /// Origins that are always allowed, regardless of the rest of the policy, such as "http://images.internal:8080".
    ///
    /// Default none. Scheme, host and port must be the same; a missing port is the scheme's default.
    public var allowedOrigins: Set<String> = []
    /// A proxy that enforces the policy. Its own address isn't checked, and it resolves the names of hosts.
    ///
    /// An http or https URL. It is used for all URLs outside ``allowedOrigins``, regardless of the environment. Default
    /// nil, none. Only `CurlDataLoader` supports it.
    public var proxy: URL?

    /// Creates a policy that allows everything.
    public init() {}

    /// A policy that allows everything. The default of an app.
    public static let unrestricted = Self()

    /// A policy that allows http and https URLs at public addresses. The default of
    /// ``ImageLoader/Configuration/server``.
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

    /// Throws if a transport can't enforce the policy.
    func validate(for transport: (any DataLoading)?) throws(ImageLoaderError) {
        guard needsTransport, !(transport?.checksAddresses ?? DefaultDataLoader.checksAddresses) else { return }
        let setting = requiresPublicAddresses ? "requiresPublicAddresses" : "proxy"
        let name = transport.map { "\(type(of: $0))" } ?? "URLSessionDataLoader"
        throw .unsupportedConfiguration(
            "\(name) can't keep download.network.\(setting): it doesn't check the addresses that it connects to. "
                + "CurlDataLoader does.")
    }

    /// Returns `text` as an origin in normal form; nil if it isn't an origin.
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
