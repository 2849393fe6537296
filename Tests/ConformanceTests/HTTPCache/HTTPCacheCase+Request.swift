extension HTTPCacheCase {
    /// A request, the origin's reply to it, and what the client and the origin must see.
    struct Request: Decodable, Sendable {
        enum CacheMode: String, Decodable, Sendable {
            case noCache = "no-cache"
        }

        enum RedirectMode: String, Decodable, Sendable { case manual }

        /// What becomes of the request.
        enum Fate: String, Decodable, Sendable {
            case cached
            case notCached = "not_cached"
            case etagValidated = "etag_validated"
            case lastModifiedValidated = "lm_validated"

            /// The request field with which the origin is asked for a confirmation.
            var condition: String? {
                switch self {
                case .cached, .notCached: nil
                case .etagValidated: "If-None-Match"
                case .lastModifiedValidated: "If-Modified-Since"
                }
            }
        }

        enum StatusRule: String, Decodable, Sendable {
            case success = "default_200"
            case asReplied = "response_status"
            case expected = "expected_status"
            case ignore
        }

        enum BodyRule: String, Decodable, Sendable {
            case identifier = "uuid"
            case asReplied = "response_body"
            case expected = "expected_response_text"
            case skip, ignore
        }

        /// An informational response before the final one.
        struct InterimResponse: Decodable, Sendable {
            let status: Int
            let headers: [HTTPCacheField]
        }

        // MARK: The client

        var method = "GET"
        var filename: String?
        var query: String?
        var headers: [HTTPCacheField] = []
        var body: String?
        var cacheMode: CacheMode?
        var redirectMode: RedirectMode?
        /// Whether a relative If-Modified-Since counts from the previous response.
        var datesFromPreviousResponse = false
        /// The pause after the response in seconds.
        var pause = 0

        // MARK: The origin

        var locatesRelatively = false
        /// The names, in lower case, of the fields whose dates have the obsolete format of RFC 850.
        var obsoleteDates: [String] = []
        /// The pause before the reply in seconds.
        var replyPause = 0
        var disconnects = false
        var replyStatus: Int?
        var replyReason: String?
        var replyHeaders: [HTTPCacheField] = []
        var replyBody: String?
        var interimResponses: [InterimResponse] = []

        // MARK: Expectations

        var fate: Fate?
        var expectedMethod: String?
        var expectedStatus: Int?
        var statusRule = StatusRule.success
        var expectedInRequest: [HTTPCacheField] = []
        var missingInRequest: [HTTPCacheField] = []
        var expectedInReply: [HTTPCacheExpectation] = []
        var missingInReply: [HTTPCacheField] = []
        var bodyRule = BodyRule.identifier
        var expectedBody: String?
        /// Whether no failure of this request says anything about the cache.
        var isSetup = false
        /// The expectations, by name, whose failure says nothing about the cache.
        var setupParts: [String] = []

        private enum CodingKeys: String, CodingKey {
            case method, filename
            case query = "query_arg"
            case headers = "request_headers"
            case body = "request_body"
            case cacheMode = "fetch_cache_mode"
            case redirectMode = "fetch_redirect_mode"
            case datesFromPreviousResponse = "magic_ims"
            case pause = "pause_after_s"
            case locatesRelatively = "magic_locations"
            case obsoleteDates = "rfc850date"
            case replyPause = "response_pause_s"
            case disconnects = "disconnect"
            case replyStatus = "response_status"
            case replyReason = "response_reason"
            case replyHeaders = "response_headers"
            case replyBody = "response_body"
            case interimResponses = "interim_responses"
            case fate = "expected_type"
            case expectedMethod = "expected_method"
            case expectedStatus = "expected_status"
            case statusRule = "status_rule"
            case expectedInRequest = "expected_request_headers"
            case missingInRequest = "expected_request_headers_missing"
            case expectedInReply = "expected_response_headers"
            case missingInReply = "expected_response_headers_missing"
            case bodyRule = "body_rule"
            case expectedBody = "expected_response_text"
            case isSetup = "setup"
            case setupParts = "setup_tests"
        }
    }
}

extension HTTPCacheCase.Request {
    /// The path and the query of the request's URL.
    ///
    /// - Parameter id: The identifier of this run of the case.
    func target(_ id: String) -> String {
        "/test/\(id)" + (filename.map { "/\($0)" } ?? "") + (query.map { "?\($0)" } ?? "")
    }

    /// The value of a field as it is sent.
    ///
    /// - Parameters:
    ///   - now: The moment that relative dates count from, in milliseconds since 1970.
    ///   - base: The target that relative locations begin with.
    func text(of field: HTTPCacheField, now: Int64, base: String) -> String {
        let name = field.name.lowercased()
        if let delta = field.delta {
            guard HTTPCacheField.dateNames.contains(name) else { return "\(delta)" }
            let date = HTTPDateText(millisecondsSince1970: now + delta * 1000)
            return obsoleteDates.contains(name) ? date.obsolete : date.preferred
        }
        let value = field.value ?? ""
        guard locatesRelatively, name == "location" || name == "content-location" else { return value }
        return value.isEmpty ? base : "\(base)/\(value)"
    }
}
