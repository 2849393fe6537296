import Foundation

extension ImageRequest {
    /// Throws unless the request can be loaded, as far as that is known before.
    package func validate() throws(ImageLoaderError) {
        if let size = targetSize, size.width < 1 || size.height < 1 {
            throw .unsupportedConfiguration("a target size of \(size) pixels")
        }
        try variant.processing?.validate()
        try scale.validate()
        if let cacheKey, !ResourceKey.isCacheKey(cacheKey) {
            throw .unsupportedConfiguration("the cache key \(cacheKey.debugDescription)")
        }
        if !origin.hasOwnKey, origin.text.endOfPlainOrigin != nil { return }
        guard case .url(let url) = source else { return }
        if url.isWebURL {
            try url.requireHost()
        } else if url.isFileURL {
            guard ["", "localhost"].contains(url.host?.lowercased() ?? "") else {
                throw .invalidURL(url.absoluteString, reason: "a file URL of another host")
            }
            guard !url.path.isEmpty else { throw .invalidURL(url.absoluteString, reason: "it has no path") }
            // One against the directory the program happens to run in would be another file each time.
            guard url.path.hasPrefix("/") else { throw .invalidURL(url.absoluteString, reason: "its path is relative") }
        } else if url.scheme?.lowercased() != "data" {
            try url.requireWebURL()
        }
    }
}

extension URL {
    /// Throws unless this is an absolute http or https URL with a host.
    package func requireWebURL() throws(ImageLoaderError) {
        guard let scheme, !scheme.isEmpty else {
            throw .invalidURL(absoluteString, reason: "it has no scheme, such as https: or file:")
        }
        guard ["http", "https"].contains(scheme.lowercased()) else { throw .unsupportedScheme(scheme) }
        try requireHost()
    }

    /// Whether the text begins as nearly all http and https URLs do. Much cheaper than reading the URL's scheme.
    var isWebURL: Bool {
        let text = absoluteString
        return text.hasPrefix("https://") || text.hasPrefix("http://")
    }

    fileprivate func requireHost() throws(ImageLoaderError) {
        guard let host, !host.isEmpty else { throw .invalidURL(absoluteString, reason: "it has no host") }
        guard (0...65_535).contains(port ?? 0) else {
            throw .invalidURL(absoluteString, reason: "a port is at most 65535")
        }
    }
}
