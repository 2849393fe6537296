package import Foundation
import Synchronization

/// A complete response.
package final class Download: Sendable {
    package typealias Ticket = RemovalLog<ResourceKey>.Ticket

    /// The URL that was requested, which may be another one of the same key than a caller's.
    let url: URL?
    package let head: ResponseHead
    /// Empty if the server confirmed the body of a stored response.
    let content: Body
    /// The response as a cache stores it. If the server confirmed a stored one, that one with its fields renewed.
    package let response: StoredResponse
    /// Whether the server confirmed a stored response.
    package let isConfirmation: Bool
    /// Whether it was asked to, so that the caches may hold an earlier response.
    let wasConditional: Bool
    /// Whether caches may store the response: neither it nor the request says no-store. Responses that redirected to it
    /// don't count.
    let mayBeStored: Bool
    /// Each caller releases it once, when the body is decoded or passed on; that of a confirmation holds no bytes.
    let share: BodyShare?
    /// When the download began, for callers that store its result.
    package let begun: Ticket?
    private let isStored = Atomic(false)

    init(
        url: URL?, head: ResponseHead, content: Body, response: StoredResponse, isConfirmation: Bool,
        wasConditional: Bool, mayBeStored: Bool, share: BodyShare?, begun: Ticket?
    ) {
        self.url = url
        self.head = head
        self.content = content
        self.response = response
        self.isConfirmation = isConfirmation
        self.wasConditional = wasConditional
        self.mayBeStored = mayBeStored
        self.share = share
        self.begun = begun
    }

    /// The bytes. Empty once others can find the file that they were received into.
    package var body: Data { content.data ?? Data() }

    /// How long the response may be used.
    var freshness: Freshness { response.freshness }

    /// Returns true once, for the one of all callers that stores the body.
    func claimStoring() -> Bool { !isStored.exchange(true, ordering: .relaxed) }
}
