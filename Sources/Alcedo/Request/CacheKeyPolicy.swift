public import Foundation

/// By what a loader caches the responses to requests that have no ``ImageRequest/cacheKey`` of their own.
///
/// For URLs that change although the image doesn't, such as signed ones:
///
/// ```swift
/// var configuration = ImageLoader.Configuration()
/// configuration.download.cacheKeys = .droppingQueryItems(["X-Amz-Signature", "X-Amz-Date", "Expires"])
/// ```
///
/// URLs with the same key count as the same: they share downloads, and what one of them brought answers the others. The
/// policy is part of the loader's scope.
public struct CacheKeyPolicy: Sendable {
    /// Distinguishes policies. Empty for ``url``.
    let id: String
    private let make: @Sendable (URL) -> String

    private init(id: String, _ make: @escaping @Sendable (URL) -> String) {
        self.id = id
        self.make = make
    }

    /// The URL without its fragment. The default.
    public static let url = Self(id: "") { $0.sentText }

    /// The URL without its query.
    public static let droppingQuery = Self(id: "no query") { $0.absoluteString.keepingQueryItems { _ in false } }

    /// The URL without the query items that have one of these names, as they are spelled when percent-decoded.
    public static func droppingQueryItems(_ names: Set<String>) -> Self {
        Self(id: id("without", names)) { url in url.absoluteString.keepingQueryItems { !names.contains($0) } }
    }

    /// The URL without the query items that have none of these names, as they are spelled when percent-decoded.
    public static func keepingQueryItems(_ names: Set<String>) -> Self {
        Self(id: id("with", names)) { url in url.absoluteString.keepingQueryItems { names.contains($0) } }
    }

    /// The key that a function of the program returns.
    ///
    /// - Parameters:
    ///   - id: Identifies the function, also in the next version of the program: what it cached is found by functions
    ///     with the same id.
    ///   - key: Returns a key, which is used as it is. Called on the path of each look-up, from any isolation, so it
    ///     should be fast. For an empty key, the URL without its fragment is taken.
    public static func custom(id: String, _ key: @escaping @Sendable (URL) -> String) -> Self {
        Self(id: "custom " + id, key)
    }

    private static func id(_ verb: String, _ names: Set<String>) -> String {
        verb + names.sorted().map { " \($0.utf8.count) \($0)" }.joined()
    }

    /// The key of a URL.
    func text(for url: URL) -> String {
        let text = make(url)
        return ResourceKey.isCacheKey(text) ? text : Self.url.make(url)
    }
}

extension CacheKeyPolicy: Hashable {
    /// Whether they are the same by their parameters, or by the id of their function.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension String {
    /// A URL with the query items whose names satisfy `isKept`, in their order, and without its fragment.
    fileprivate func keepingQueryItems(_ isKept: (String) -> Bool) -> String {
        let text = prefix { $0 != "#" }
        guard let mark = text.firstIndex(of: "?") else { return String(text) }
        let items = text[text.index(after: mark)...].split(separator: "&").filter { item in
            let name = String(item.prefix { $0 != "=" })
            return isKept(name.removingPercentEncoding ?? name)
        }
        return text[..<mark] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }
}
