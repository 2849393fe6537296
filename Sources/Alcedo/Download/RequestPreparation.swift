/// A hook that changes requests before they are sent, to sign them or to add a token.
///
/// Its ``id`` is part of what images are found by in both caches and across launches, because what the hook adds may
/// select other bytes. Two hooks with one id must add the same; change the id when that changes, for example when
/// another user logs in.
public struct RequestPreparation: Sendable, Hashable {
    /// Identifies what the hook adds. It reaches the disk only as a digest under the directory's key.
    public let id: String

    let prepare: @Sendable (inout DataRequest) async throws -> Void

    /// - Parameters:
    ///   - id: identifies what the hook adds.
    ///   - prepare: called for each request before it waits for a slot, and again before each retry; on no particular
    ///     actor. A token should be valid for as long as the request may wait. An error it throws ends the load with
    ///     ``ImageLoaderError/prepareFailed(_:)``, and nothing is sent.
    public init(id: String, _ prepare: @escaping @Sendable (inout DataRequest) async throws -> Void) {
        self.id = id
        self.prepare = prepare
    }

    /// Hooks are equal if their ids are.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
