import Foundation

/// A failed call of a Redis server.
enum RedisError: Error, Equatable, CustomStringConvertible {
    case system(call: String, code: Int32)
    case timeout
    case closed
    /// The server's own words.
    case refused(String)
    case unexpectedReply

    var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        case .timeout: "Redis didn't answer in time"
        case .closed: "Redis closed the connection"
        case .refused(let text): "Redis answered \(text)"
        case .unexpectedReply: "Redis sent an unexpected reply"
        }
    }
}
