package import Foundation

extension URL {
    /// Scheme, host and port in lower case, without the scheme's default port: "https://example.org".
    ///
    /// Each download needs it several times. The text of nearly all URLs only has to be cut where the path begins.
    package var origin: String {
        PlainURL.origin(of: absoluteString).map { String($0) } ?? ParsedURL(self).origin
    }
}
