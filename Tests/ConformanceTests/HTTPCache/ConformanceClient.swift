import Alcedo
import Foundation

/// The cache under test: sends a request, or answers it from what it has stored.
typealias ConformanceClient = @Sendable (ConformanceRequest) async -> Result<ConformanceReply, ConformanceNetworkError>

/// A request of a case.
struct ConformanceRequest: Sendable {
    let method: String
    let url: URL
    /// The fields of the case.
    var headers: HTTPHeaders = [:]
    /// The fields by which the origin recognizes the request. No response varies with them.
    var marks: HTTPHeaders = [:]
    var body: Data?
    var followsRedirects = true
    /// Whether a stored response is used only after the origin has confirmed it.
    var revalidates = false

    var allHeaders: HTTPHeaders { HTTPHeaders(Array(headers) + Array(marks)) }
}

/// A response as the client received it.
struct ConformanceReply: Sendable {
    var status: Int
    /// A repeated name may be repeated here or joined.
    var headers: HTTPHeaders
    var body: Data
}

/// The client received no response.
struct ConformanceNetworkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
