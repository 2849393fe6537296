import Alcedo
import Foundation

/// Judges one run of a case by the rules of PROTOCOL.md section 2, for a cache inside the client.
struct HTTPCacheJudge: Sendable {
    let requests: [HTTPCacheCase.Request]
    /// The identifier of the run, which is the body of replies without another one.
    let id: String

    /// What an expectation is about. The raw values are names that a case lists as parts of its setup.
    private enum Part: String {
        case fate = "expected_type"
        case status = "expected_status"
        case body = "expected_response_text"
        case reply = "expected_response_headers"
        case replyWithout = "expected_response_headers_missing"
        case request = "expected_request_headers"
        case requestWithout = "expected_request_headers_missing"
        case method = "expected_method"
        /// What every exchange must be, so that something is tested. Always part of the setup.
        case exchange
    }

    private func require(
        _ holds: Bool, _ number: Int, _ part: Part, _ problem: @autoclosure () -> String
    ) throws(HTTPCacheFailure) {
        guard !holds else { return }
        let request = requests[number - 1]
        let isSetup = part == .exchange || request.isSetup || request.setupParts.contains(part.rawValue)
        throw HTTPCacheFailure(isSetup ? .setup : .assertion, "request \(number): \(problem())")
    }

    // MARK: A reply

    /// Judges a missing reply.
    ///
    /// Where the origin disconnects and the case expects no status, an error is the right result. The suite itself
    /// counts it as a failure.
    func judge(_ error: ConformanceNetworkError, to number: Int) throws(HTTPCacheFailure) {
        let request = requests[number - 1]
        if request.disconnects, request.statusRule == .ignore { return }
        throw HTTPCacheFailure(.network, "request \(number): \(error)")
    }

    /// Judges a reply right after it was received.
    ///
    /// - Parameter number: The number of the request, counted from 1.
    func judge(_ reply: ConformanceReply, to number: Int) throws(HTTPCacheFailure) {
        let numbers = (reply.headers["Request-Numbers"] ?? "").split(separator: " ")
        guard Set(numbers).count == numbers.count else {
            throw HTTPCacheFailure(
                .retry, "request \(number): the origin saw requests \(numbers.joined(separator: " "))")
        }
        try judgeSource(of: reply, number)
        try judgeStatus(of: reply, number)
        for expectation in requests[number - 1].expectedInReply { try judge(expectation, reply, number) }
        for field in requests[number - 1].missingInReply {
            let value = reply.headers[field.name]
            let isMissing = value.map { value in field.value.map { !value.contains($0) } ?? false } ?? true
            try require(isMissing, number, .replyWithout, "\(field.name) is \(quoted(value)), which must be removed")
        }
        try judgeBody(of: reply, number)
    }

    /// Whether the reply was stored or comes from the origin.
    private func judgeSource(of reply: ConformanceReply, _ number: Int) throws(HTTPCacheFailure) {
        // The origin's count of requests when it made this reply.
        let count = reply.headers["Server-Request-Count"].flatMap(Self.leadingInteger)
        switch requests[number - 1].fate {
        case .cached:
            let isStored = count.map { $0 < number } ?? (reply.status == 304)
            try require(isStored, number, .fate, "answered by the origin, not with the stored response")
        case .notCached:
            try require(count == number, number, .fate, "answered with a stored response, not by the origin")
        case .etagValidated, .lastModifiedValidated, nil: break
        }
    }

    private func judgeStatus(of reply: ConformanceReply, _ number: Int) throws(HTTPCacheFailure) {
        let request = requests[number - 1]
        func requireStatus(_ status: Int?, _ part: Part) throws(HTTPCacheFailure) {
            let expected = status ?? 200
            try require(reply.status == expected, number, part, "status \(reply.status), not \(expected)")
        }
        switch request.statusRule {
        case .ignore: break
        case .expected: try requireStatus(request.expectedStatus, .status)
        case .asReplied: try requireStatus(request.replyStatus, .exchange)
        case .success:
            try require(reply.status != 999, number, .fate, "the request should have been conditional")
            try requireStatus(200, .exchange)
        }
    }

    private func judge(
        _ expectation: HTTPCacheExpectation, _ reply: ConformanceReply, _ number: Int
    ) throws(HTTPCacheFailure) {
        let name = expectation.name
        let value = reply.headers[name]
        try require(value != nil, number, .reply, "\(name) is missing")
        switch expectation.rule {
        case .present: break
        case .equals(let field):
            let now = reply.headers["Server-Now"].flatMap(Self.leadingInteger) ?? 0
            let base = reply.headers["Server-Base-Url"] ?? ""
            let text = requests[number - 1].text(of: field, now: Int64(now), base: base)
            try require(value == text, number, .reply, "\(name) is \(quoted(value)), not \(quoted(text))")
        case .equalsField(let other):
            let text = reply.headers[other]
            try require(value == text, number, .reply, "\(name) is \(quoted(value)), but \(other) is \(quoted(text))")
        case .greaterThan(let least):
            let isGreater = value.flatMap(Self.leadingInteger).map { $0 > least } ?? false
            try require(isGreater, number, .reply, "\(name) is \(quoted(value)), not greater than \(least)")
        }
    }

    private func judgeBody(of reply: ConformanceReply, _ number: Int) throws(HTTPCacheFailure) {
        let request = requests[number - 1]
        func requireBody(_ text: String?, _ part: Part) throws(HTTPCacheFailure) {
            let body = String(decoding: reply.body, as: UTF8.self)
            try require(body == text, number, part, "the body is \(quoted(body)), not \(quoted(text))")
        }
        switch request.bodyRule {
        case .skip, .ignore: break
        case .expected: try requireBody(request.expectedBody, .body)
        case .asReplied: try requireBody(request.replyBody, .exchange)
        case .identifier:
            if reply.status == 204 || reply.status == 304 || request.method == "HEAD" { return }
            try requireBody(id, .exchange)
        }
    }

    // MARK: The origin's view

    /// Judges what the origin saw of the whole run.
    ///
    /// - Parameter replies: What the client received, nil for an error that ``judge(_:to:)`` accepted.
    func judge(
        _ seen: [ConformanceOrigin.SeenRequest], _ replies: [ConformanceReply?]
    ) throws(HTTPCacheFailure) {
        var rest = seen[...]
        // The origin didn't see what was answered with a stored response.
        for (index, request) in requests.enumerated() where request.fate != .cached {
            let (number, message) = (index + 1, rest.popFirst())
            if request.fate == .notCached {
                try require(message?.number == number, number, .fate, "did not reach the origin")
            }
            if let condition = request.fate?.condition {
                let isConditional = message?.headers[condition] != nil
                try require(isConditional, number, .fate, "the origin received no \(condition)")
            }
            for field in request.expectedInRequest {
                let value = message?.headers[field.name]
                let isExpected = field.value.map { $0 == value } ?? (value != nil)
                try require(isExpected, number, .request, "the origin received \(field.name) as \(quoted(value))")
            }
            for field in request.missingInRequest {
                let value = message?.headers[field.name]
                let isMissing = value == nil || (field.value != nil && field.value != value)
                try require(isMissing, number, .requestWithout, "the origin received \(field.name)")
            }
            if let message, let reply = replies[index] { try judgeFields(of: reply, message, number) }
            if let method = request.expectedMethod {
                let isExpected = message?.method == method
                try require(isExpected, number, .method, "the origin received \(message?.method ?? "no request")")
            }
        }
    }

    /// Requires the fields of a reply to reach the client.
    private func judgeFields(
        of reply: ConformanceReply, _ message: ConformanceOrigin.SeenRequest, _ number: Int
    ) throws(HTTPCacheFailure) {
        for field in message.savedFields where !Self.hiddenFields.contains(field.name.lowercased()) {
            let value = reply.headers[field.name]
            let problem = "\(field.name) is \(quoted(value)), but the origin sent \(quoted(field.value))"
            try require(value == field.value, number, .exchange, problem)
        }
    }

    /// Browsers hide cookies, and a cache may correct the date.
    private static let hiddenFields: Set = ["date", "set-cookie", "set-cookie2"]

    private static func leadingInteger(_ text: String) -> Int? {
        Int(text.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber })
    }

    private func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "missing" }
}
