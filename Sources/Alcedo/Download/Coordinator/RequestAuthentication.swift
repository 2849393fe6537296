public import Foundation

/// A hook that supplies credentials when a server asks for them with status 401.
///
/// The hook is called once for all downloads that wait for the same origin, and their requests are repeated once with
/// the credentials that it returns. Later requests to that origin send them immediately, until the server answers one
/// with 401 again.
///
/// Its ``id`` is part of the keys of images in both caches, even across launches, because credentials may select
/// different bytes. Two hooks with the same id must supply the credentials of the same user.
public struct RequestAuthentication: Sendable, Hashable {
    /// A server's demand for credentials.
    public struct Question: Sendable, Hashable {
        /// The origin that asks, such as "https://example.org". The credentials are sent to no other origin.
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

    /// An identifier of the user whose credentials the hook supplies.
    ///
    /// On disk, it is stored only as a digest keyed with the directory's key.
    public let id: String

    let answer: @Sendable (Question) async throws -> String?

    /// Creates a hook.
    ///
    /// - Parameters:
    ///   - id: An identifier of the user whose credentials the hook supplies.
    ///   - answer: Returns the value of the `Authorization` field, such as "Bearer 7f3a". If it returns nil, the
    ///     downloads end with ``ImageLoaderError/badStatus(_:)``; if it throws, with
    ///     ``ImageLoaderError/authenticationFailed(_:)``. It is called on no particular actor, while the downloads hold
    ///     no slot. Its Task is cancelled when the last of these downloads is.
    public init(id: String, _ answer: @escaping @Sendable (Question) async throws -> String?) {
        self.id = id
        self.answer = answer
    }

    /// Hooks are equal if their ids are.
    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension RequestAuthentication {
    /// The hook's answer, validated.
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
