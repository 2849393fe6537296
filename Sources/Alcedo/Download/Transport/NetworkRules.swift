import Foundation

/// A ``NetworkPolicy`` prepared for the checks of each request. It is a class, so that a request carries one pointer.
final class NetworkRules: Sendable {
    let policy: NetworkPolicy
    private let schemes: Set<String>?
    private let hosts: Set<String>?
    private let origins: Set<String>
    /// Whether the proxy is connected to over TLS.
    let hasSecureProxy: Bool

    /// Nil if the policy allows everything.
    init?(_ policy: NetworkPolicy) {
        guard policy != .unrestricted else { return nil }
        self.policy = policy
        schemes = policy.schemes.map { Set($0.map { $0.lowercased() }) }
        hosts = policy.hosts.map { Set($0.compactMap(\.normalHostPattern)) }
        origins = Set(policy.allowedOrigins.compactMap(NetworkPolicy.origin))
        hasSecureProxy = policy.proxy.map { ParsedURL($0).scheme == .https } ?? false
    }

    /// Throws unless `url` may be loaded, as far as can be decided without its address.
    func check(_ url: ParsedURL) throws(ImageLoaderError) {
        guard !isAlwaysAllowed(url) else { return }
        let scheme = url.scheme.rawValue
        if let schemes, !schemes.contains(scheme) { throw url.refused("the scheme \(scheme) isn't allowed") }
        guard url.isWeb else {
            // A list of schemes that contains "file" allows files.
            guard schemes == nil, hosts != nil || policy.ports != nil else { return }
            throw url.refused("files aren't allowed by a list of hosts or ports")
        }
        let port = url.port
        if let ports = policy.ports, !ports.contains(port) { throw url.refused("the port \(port) isn't allowed") }
        if let hosts, !hosts.contains(host: url.host) { throw url.refused("the host isn't allowed") }
    }

    /// Throws unless `address` may be connected to for `url`.
    func check(_ address: NetworkAddress, for url: ParsedURL) throws(ImageLoaderError) {
        guard checksAddress(of: url), let use = address.use else { return }
        throw url.refused("\(address) is \(use.rawValue)")
    }

    /// Whether the address of a connection for `url` must be checked.
    func checksAddress(of url: ParsedURL) -> Bool {
        policy.requiresPublicAddresses && policy.proxy == nil && !isAlwaysAllowed(url)
    }

    /// The proxy for `url`: empty for none, and nil for the one that the environment names.
    func proxy(for url: ParsedURL) -> String? {
        guard policy.requiresPublicAddresses || policy.proxy != nil else { return nil }
        return isAlwaysAllowed(url) ? "" : policy.proxy?.absoluteString ?? ""
    }

    private func isAlwaysAllowed(_ url: ParsedURL) -> Bool { !origins.isEmpty && origins.contains(url.origin) }
}

extension ParsedURL {
    fileprivate func refused(_ reason: String) -> ImageLoaderError { .destinationRefused(host: host, reason: reason) }
}

extension Set<String> {
    /// Whether `host` is a member, or matches a member that begins with "*.".
    fileprivate func contains(host: String) -> Bool {
        if contains(host) { return true }
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if contains("*." + rest) { return true }
        }
        return false
    }
}

extension DataRequest {
    /// Throws unless the loader's ``NetworkPolicy`` allows a request to its URL.
    ///
    /// A loader has checked the first request. A transport that follows redirects itself calls this for each target.
    ///
    /// - Throws: ``ImageLoaderError/destinationRefused(host:reason:)``.
    public func requirePermission() throws(ImageLoaderError) { try network?.check(parsed) }

    /// Throws unless the loader's ``NetworkPolicy`` allows a connection to `address` for this request.
    ///
    /// Transports whose ``DataLoading/checksAddresses`` is true call this for each address that they are about to
    /// connect to, and for the address of each connection that they are about to reuse.
    ///
    /// - Throws: ``ImageLoaderError/destinationRefused(host:reason:)``.
    public func requirePermission(toReach address: NetworkAddress) throws(ImageLoaderError) {
        try network?.check(address, for: parsed)
    }
}
