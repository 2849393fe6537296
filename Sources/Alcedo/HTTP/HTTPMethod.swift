/// An HTTP request method.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable {
    /// The method as it is sent. It is case-sensitive (RFC 9110 section 9.1).
    public let rawValue: String

    /// Creates a method with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Fetches the resource. Images are loaded with this method.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Sends a body and returns the server's response to it.
    public static let post = HTTPMethod(rawValue: "POST")

    /// Whether sending the request twice has no more effect than sending it once (RFC 9110 section 9.2.2), so that it
    /// may be retried.
    package var isIdempotent: Bool { ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(rawValue) }
}
