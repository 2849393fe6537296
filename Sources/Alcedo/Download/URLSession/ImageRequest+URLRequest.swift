#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension ImageRequest {
    /// Creates a request from a `URLRequest`.
    ///
    /// The URL, method, header fields and body are copied. The cache policy becomes ``readPolicy``, where
    /// `returnCacheDataElseLoad` becomes ``CacheReadPolicy/immutable``, which stores the response as well. A timeout
    /// other than the default of 60 seconds becomes ``idleTimeout``. On Apple platforms, the allowed networks are
    /// copied, too: a request that doesn't allow cellular networks doesn't allow expensive ones.
    ///
    /// - Throws: ``ImageLoaderError/invalidURL(_:reason:)`` if it has no URL, and
    ///   ``ImageLoaderError/unsupportedConfiguration(_:)`` if its body is a stream.
    public init(_ request: URLRequest) throws(ImageLoaderError) {
        guard let url = request.url else { throw .invalidURL("", reason: "the URLRequest has none") }
        if request.httpBodyStream != nil { throw .unsupportedConfiguration("a URLRequest with a stream as its body") }
        self.init(url: url)
        if let method = request.httpMethod { self.method = HTTPMethod(rawValue: method) }
        if let fields = request.allHTTPHeaderFields, !fields.isEmpty {
            headers = HTTPHeaders(fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
        }
        if let body = request.httpBody { self.body = body }
        readPolicy = CacheReadPolicy(request.cachePolicy)
        let timeout = request.timeoutInterval
        // Foundation treats other values as its default. The limit is for infinity, which a Duration can't hold.
        if timeout > 0, timeout != 60 { idleTimeout = .seconds(min(timeout, 31_536_000)) }
        takeNetworks(of: request)
    }
}

extension CacheReadPolicy {
    /// Nil if the loader's policy applies.
    fileprivate init?(_ policy: URLRequest.CachePolicy) {
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: self = .reload
        case .returnCacheDataElseLoad: self = .immutable
        case .returnCacheDataDontLoad: self = .cachedOnly
        case .reloadRevalidatingCacheData: self = .revalidate
        default: return nil
        }
    }
}
