package import Foundation

extension URL {
    /// The scheme, host and port in lower case, without the scheme's default port: "https://example.org".
    ///
    /// Each download needs the origin several times. For nearly all URLs, the text only has to be cut where the path
    /// begins.
    package var origin: String {
        PlainURL.origin(of: absoluteString).map { String($0) } ?? ParsedURL(self).origin
    }
}
