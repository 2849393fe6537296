/// What a request asks the server to do.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable {
    /// The method as it is sent; case matters (RFC 9110 section 9.1).
    public let rawValue: String

    /// A method of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Fetches the resource; what images are loaded with.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Sends a body and takes what the server makes of it.
    public static let post = HTTPMethod(rawValue: "POST")

    /// Whether sending it twice does no more than sending it once (RFC 9110 section 9.2.2), so that it may be retried.
    package var isIdempotent: Bool { ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(rawValue) }
}
