public import Foundation

/// A hook that supplies credentials when a server asks for them with status 401.
///
/// It is called once for all downloads that wait for an origin at the same time, and they are repeated once with what
/// it returns. Later requests to that origin send it at once, until the server answers one with 401 again.
///
/// Its ``id`` is part of the keys of images in both caches, also across launches, because credentials may select
/// different bytes. Two hooks with the same id must supply the credentials of the same user.
public struct RequestAuthentication: Sendable, Hashable {
    /// A server's demand for credentials.
    public struct Question: Sendable, Hashable {
        /// The origin that asks, and the only one that the credentials are sent to: "https://example.org".
        public let origin: String
        /// The URL of the first request that was answered with 401, without a user name and password.
        public let url: URL
        /// The challenges of its response, in order. Empty if they can't be read or are missing.
        public let challenges: [AuthenticationChallenge]
        /// The hook's last answer for the origin, which the server no longer accepts; nil if there was none.
        public let refused: String?

        /// Creates a question, for example in a test.
        public init(origin: String, url: URL, challenges: [AuthenticationChallenge] = [], refused: String? = nil) {
            self.origin = origin
            self.url = url
            self.challenges = challenges
            self.refused = refused
        }
    }

    /// Identifies whose credentials the hook supplies.
    ///
    /// It is written to disk only as a digest keyed with the directory's key.
    public let id: String

    let answer: @Sendable (Question) async throws -> String?

    /// Creates a hook.
    ///
    /// - Parameters:
    ///   - id: Identifies whose credentials the hook supplies.
    ///   - answer: Returns the value of the `Authorization` field, such as "Bearer 7f3a", or nil to have none, with
    ///     which the downloads end with ``ImageLoaderError/badStatus(_:)``. Called on no particular actor, while its
    ///     downloads hold no slot. Its Task is cancelled when the last of them is. If it throws, they end with
    ///     ``ImageLoaderError/authenticationFailed(_:)``.
    public init(id: String, _ answer: @escaping @Sendable (Question) async throws -> String?) {
        self.id = id
        self.answer = answer
    }

    /// Hooks are equal if their ids are.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension RequestAuthentication {
    /// The hook's answer, checked.
    func credentials(for question: Question) async -> Result<String, ImageLoaderError> {
        do {
            guard let value = try await answer(question) else { return .failure(.badStatus(401)) }
            let field = HTTPHeaders.Field(name: "Authorization", value: value)
            return field.isValid ? .success(value) : .failure(.invalidHeader(name: field.name))
        } catch {
            return .failure(.ofProgram(error) { .authenticationFailed($0) })
        }
    }
}
