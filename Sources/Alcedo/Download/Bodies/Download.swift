package import Foundation
import Synchronization

/// A complete response.
package final class Download: Sendable {
    package typealias Ticket = RemovalLog<ResourceKey>.Ticket

    /// The URL that was requested. It may differ from a caller's URL with the same key.
    let url: URL?
    package let head: ResponseHead
    /// Empty if the server confirmed the body of a stored response.
    let content: Body
    /// The response as a cache stores it. If the server confirmed a stored response, this is that response with updated
    /// fields.
    package let response: StoredResponse
    /// Whether the server confirmed a stored response.
    package let isConfirmation: Bool
    /// Whether the server was asked to confirm one, so that the caches may hold an earlier response.
    let wasConditional: Bool
    /// Whether caches may store the response: neither it nor the request says no-store. Responses that redirected to it
    /// don't count.
    let mayBeStored: Bool
    /// The body's share of the budget. Each caller releases it once, when the body is decoded or passed on. The share
    /// of a confirmation holds no bytes.
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

    /// The bytes. Empty once the file that they were received into is visible to others.
    package var body: Data { content.data ?? Data() }

    /// How long the response may be used.
    var freshness: Freshness { response.freshness }

    /// Returns true once, to the caller that is to store the body.
    func claimStoring() -> Bool { !isStored.exchange(true, ordering: .relaxed) }
}
