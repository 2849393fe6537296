import Foundation

extension ImageRequest.Credentials {
    /// The value of an `Authorization` field with these credentials, in the Basic scheme (RFC 7617).
    public var basic: String { "Basic " + Data("\(user):\(password)".utf8).base64EncodedString() }
}

extension URL {
    /// The user name and password before the host.
    var credentials: ImageRequest.Credentials? {
        guard let parts = partsWithCredentials else { return nil }
        let (user, password) = (parts.user ?? "", parts.password ?? "")
        return user.isEmpty && password.isEmpty ? nil : .init(user: user, password: password)
    }

    var withoutCredentials: URL {
        guard var parts = partsWithCredentials else { return self }
        parts.user = nil
        parts.password = nil
        return parts.url ?? self
    }

    /// Whether the URL may have credentials. A cheap check for the many URLs without them.
    var mayHaveCredentials: Bool { FastHash.contains(UInt8(ascii: "@"), in: absoluteString) }

    private var partsWithCredentials: URLComponents? {
        guard mayHaveCredentials, let parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return nil
        }
        return parts.user == nil && parts.password == nil ? nil : parts
    }
}
