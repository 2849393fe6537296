import Foundation

/// Builds the requests to a transport from the requests of callers.
struct RequestBuilder: Sendable {
    private let settings: DownloadCoordinator.Settings
    /// The fields of every request.
    private let headers: HTTPHeaders
    /// The error of every request if a common field can't be sent. Determined once, not for each request.
    private let problem: ImageLoaderError?
    /// The network policy; nil if everything is allowed.
    let network: NetworkRules?

    init(_ settings: DownloadCoordinator.Settings, accept: String?) {
        self.settings = settings
        network = NetworkRules(settings.network)
        var headers = settings.headers
        if let accept, headers["Accept"] == nil { headers["Accept"] = accept }
        self.headers = headers
        problem = headers.first { !$0.isValidForAll }.map { .invalidHeader(name: $0.name) }
    }

    /// The request's URL, and the request to the transport.
    ///
    /// - Parameter idleTimeout: The idle timeout of requests that set none.
    func request(_ request: ImageRequest, idleTimeout: Duration) throws(ImageLoaderError) -> (URL, DataRequest) {
        guard let url = request.url else { throw .unsupportedScheme("") }
        if let problem { throw problem }
        var data = DataRequest(
            url: url, method: request.method, headers: headers, body: request.body,
            idleTimeout: request.idleTimeout ?? idleTimeout, redirects: settings.redirects)
        data.allowsConstrainedNetwork = request.allowsConstrainedNetwork
        data.allowsExpensiveNetwork = request.allowsExpensiveNetwork
        if !request.hasDefaultOptions {
            for field in request.headers { data.headers[field.name] = nil }
            data.headers.append(contentsOf: request.headers)
        }
        if let credentials = request.credentials { data.headers["Authorization"] = credentials.basic }
        data.moveCredentialsToField()
        if request.readPolicy == .reload, data.headers["Cache-Control"] == nil {
            data.headers["Cache-Control"] = "no-cache"
        }
        // Asks the server itself, rather than a cache in between.
        if request.readPolicy == .revalidate, !request.isBehind, data.headers["Cache-Control"] == nil {
            data.headers["Cache-Control"] = "max-age=0"
        }
        if let conditions = request.confirming?.conditions { data = data.adding(conditions) }
        if !request.hasDefaultOptions { try data.requireSendable() }
        if let network {
            try network.check(data.parsed)
            data.network = network
        }
        return (url, data)
    }

    /// Whether a hook of the program takes part in requests: one that changes them, or one that supplies credentials.
    var prepares: Bool { settings.prepare != nil || settings.authenticate != nil }

    /// The request after the program's hook has changed it.
    func prepared(_ request: DataRequest) async throws(ImageLoaderError) -> DataRequest {
        guard let hook = settings.prepare else { return request }
        var data = request
        do {
            try await hook.prepare(&data)
        } catch {
            throw .ofProgram(error) { .prepareFailed($0) }
        }
        try data.parsed.requireWeb()
        // The hook may have made a new request.
        data.network = network
        try network?.check(data.parsed)
        try data.requireSendable()
        return data
    }
}

extension DataRequest {
    /// A copy of this request in which `fields` replace its fields of the same names.
    func adding(_ fields: HTTPHeaders) -> DataRequest {
        var request = self
        request.headers = headers.without(fields.map(\.name))
        request.headers.append(contentsOf: fields)
        return request
    }
}
