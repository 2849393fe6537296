public import Foundation

/// Determines the cache keys of requests that set no ``ImageRequest/cacheKey``.
///
/// Use one for URLs that change although the image doesn't, such as signed URLs:
///
/// ```swift
/// var configuration = ImageLoader.Configuration()
/// configuration.download.cacheKeys = .droppingQueryItems([
///     "X-Amz-Signature", "X-Amz-Date", "Expires",
/// ])
/// ```
///
/// URLs with the same key count as the same URL: they share downloads, and the response to one answers the others. The
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

    /// The URL without query items of these names. Names are compared after percent-decoding.
    public static func droppingQueryItems(_ names: Set<String>) -> Self {
        Self(id: id("without", names)) { url in url.absoluteString.keepingQueryItems { !names.contains($0) } }
    }

    /// The URL with only the query items of these names. Names are compared after percent-decoding.
    public static func keepingQueryItems(_ names: Set<String>) -> Self {
        Self(id: id("with", names)) { url in url.absoluteString.keepingQueryItems { names.contains($0) } }
    }

    /// A custom key, which your function returns.
    ///
    /// - Parameters:
    ///   - id: Identifies the function across versions of the program: functions with the same id find each other's
    ///     cached images.
    ///   - key: Returns the key, which is used unchanged. Called for each look-up, from any isolation, so it should be
    ///     fast. If the key is empty or begins with a null character, the URL without its fragment is used.
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
    /// Whether two policies have the same parameters, or functions with the same id.
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
