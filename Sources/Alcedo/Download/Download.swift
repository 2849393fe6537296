package import Foundation

/// A complete response.
package final class Download: Sendable {
    package typealias Ticket = RemovalLog<ResourceKey>.Ticket

    package let head: ResponseHead
    package let body: Data
    /// Whether caches may store the response: neither it nor the request says no-store. Responses that redirected to it
    /// don't count.
    let mayBeStored: Bool
    /// When the request was sent and when its response arrived.
    private let exchange: Freshness.Exchange
    /// Each caller releases it once, when the body is decoded or passed on.
    let undecoded: UndecodedShare?
    /// When the download began, for callers that store its result.
    package let begun: Ticket?

    init(
        head: ResponseHead, body: Data, exchange: Freshness.Exchange, mayBeStored: Bool, undecoded: UndecodedShare?,
        begun: Ticket?
    ) {
        self.head = head
        self.body = body
        self.exchange = exchange
        self.mayBeStored = mayBeStored
        self.undecoded = undecoded
        self.begun = begun
    }

    /// How long the response may be used; nil when it doesn't say.
    var freshness: Freshness? { Freshness(head.headers, status: head.status, exchange) }

    /// Whether the server delimited the body. A body delimited only by connection close may be truncated, and only its
    /// decoder can tell.
    var hasKnownLength: Bool { head.expectedBytes != nil || head.isChunked }
}
