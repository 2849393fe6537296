public import Foundation

/// What to load.
public struct ImageRequest: Sendable, Hashable {
    /// An http, https or file URL. What is wrong with it is told when it is loaded.
    public var url: URL

    /// A request for `url`, which is not looked at yet.
    public init(url: URL) {
        self.url = url
    }

    /// A request for the URL that `text` spells.
    ///
    /// - Throws: ``ImageLoaderError/invalidURL(_:reason:)`` or ``ImageLoaderError/unsupportedScheme(_:)`` when it can't
    ///   be loaded.
    public init(_ text: String) throws(ImageLoaderError) {
        guard let url = URL(string: text, encodingInvalidCharacters: false) else {
            throw .invalidURL(text, reason: "it does not parse as a URL")
        }
        self.init(url: url)
        try validate()
    }

    package func validate() throws(ImageLoaderError) {
        if url.isFileURL {
            guard url.host ?? "" == "" || url.host == "localhost" else {
                throw .invalidURL(url.absoluteString, reason: "a file URL of another host")
            }
            guard !url.path.isEmpty else { throw .invalidURL(url.absoluteString, reason: "it has no path") }
        } else {
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
        guard let host, !host.isEmpty else { throw .invalidURL(absoluteString, reason: "it has no host") }
        guard (0...65_535).contains(port ?? 0) else {
            throw .invalidURL(absoluteString, reason: "a port is at most 65535")
        }
    }
}
