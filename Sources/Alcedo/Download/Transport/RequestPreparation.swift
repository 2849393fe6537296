/// A hook that changes requests before they are sent, for example to sign them or to add a token.
///
/// Its ``id`` is part of the keys of images in both caches, even across launches, because the hook's changes may select
/// different bytes. Two hooks with the same id must make the same changes. Use another id for different changes, for
/// example when another user logs in.
public struct RequestPreparation: Sendable, Hashable {
    /// An identifier of the hook's changes.
    ///
    /// On disk, it is stored only as a digest keyed with the directory's key.
    public let id: String

    let prepare: @Sendable (inout DataRequest) async throws -> Void

    /// Creates a hook.
    ///
    /// - Parameters:
    ///   - id: An identifier of the hook's changes.
    ///   - prepare: Called for each request before it waits for a slot, and again before each retry, on no particular
    ///     actor. A token should remain valid for as long as the request may wait. If it throws, the load ends with
    ///     ``ImageLoaderError/prepareFailed(_:)``, and nothing is sent.
    public init(id: String, _ prepare: @escaping @Sendable (inout DataRequest) async throws -> Void) {
        self.id = id
        self.prepare = prepare
    }

    /// Hooks are equal if their ids are.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
