import Foundation

/// A request to a web server, checked, with what the loader adds to it. A class, as it is handed on often and holds
/// much.
package final class WebRequest: Sendable {
    /// As the caller wrote it, for events.
    let url: URL
    /// What the limits for a host count by: its origin.
    let host: String
    let data: DataRequest

    init(url: URL, host: String, data: DataRequest) {
        self.url = url
        self.host = host
        self.data = data
    }
}

/// Makes what a transport is asked for out of what a caller asks for.
struct RequestBuilder: Sendable {
    private let settings: DownloadCoordinator.Settings

    init(_ settings: DownloadCoordinator.Settings) {
        self.settings = settings
    }

    func webRequest(_ request: ImageRequest) throws(ImageLoaderError) -> WebRequest {
        guard let url = request.url else { throw .unsupportedScheme("") }
        var data = DataRequest(
            url: url, method: request.method, headers: settings.headers, body: request.body,
            idleTimeout: settings.idleTimeout, redirects: settings.redirects)
        if !request.hasDefaultOptions {
            for field in request.headers.fields { data.headers[field.name] = nil }
            data.headers.append(request.headers)
        }
        if let credentials = request.credentials {
            data.headers["Authorization"] = credentials.basic
        } else if data.headers["Authorization"] == nil, let credentials = url.credentials {
            data.headers["Authorization"] = credentials.basic
        }
        data.url = url.withoutCredentials
        if request.cachePolicy == .reload || request.cachePolicy == .bypass, data.headers["Cache-Control"] == nil {
            data.headers["Cache-Control"] = "no-cache"
        }
        try data.requireSendable()
        return WebRequest(url: url, host: data.url.hostKey, data: data)
    }

    /// The request after the program's own hook has had it.
    func prepared(_ request: WebRequest) async throws(ImageLoaderError) -> DataRequest {
        guard let prepare = settings.prepare else { return request.data }
        var data = request.data
        do {
            try await prepare(&data)
        } catch {
            throw .ofProgram(error) { .prepareFailed($0) }
        }
        try data.url.requireWebURL()
        try data.requireSendable()
        return data
    }
}

extension URL {
    /// A user name and a password written before the host.
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

    /// Cheap for the many URLs without any.
    private var partsWithCredentials: URLComponents? {
        guard FastHash.contains(UInt8(ascii: "@"), in: absoluteString),
            let parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return nil }
        return parts.user == nil && parts.password == nil ? nil : parts
    }
}

extension ImageRequest.Credentials {
    /// The value of the field that carries them (RFC 7617).
    var basic: String { "Basic " + Data("\(user):\(password)".utf8).base64EncodedString() }
}

extension DataRequest {
    /// This request with `fields` in place of its own of the same names.
    func adding(_ fields: HTTPHeaders) -> DataRequest {
        var request = self
        for field in fields.fields { request.headers[field.name] = field.value }
        return request
    }
}
