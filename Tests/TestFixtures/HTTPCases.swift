import Alcedo
import Foundation
import Testing

enum HTTPCases {
    static let named = ProcessInfo.processInfo.environment["ALCEDO_HTTP_CASES"].map { URL(fileURLWithPath: $0) }
    private static let folder =
        named ?? SourceFile.package.appending(path: "Tests/ConformanceTests/Fixtures/http-cache")

    private static let suites: Set = [
        "age-parse", "cc-freshness", "cc-parse", "cc-response", "expires", "expires-parse", "heuristic",
    ]

    /// The cases that a private cache must or should pass.
    static let ofFreshness: [Case] = {
        guard let bytes = try? Data(contentsOf: folder.appending(path: "tests.json")),
            let all = try? JSONDecoder().decode(Suites.self, from: bytes)
        else { return [] }
        let tests = all.suites.filter { suites.contains($0.id) }.flatMap(\.tests)
        return tests.filter { test in
            test.profile == "core" && test.kind != "check" && test.requests.count == 2
                && test.requests[1].requestHeaders.isEmpty
        }
    }()

    /// The cases of responses that must not be stored.
    static let ofStoring = ofFreshness.filter { $0.id.hasPrefix("cc-resp-no-store") }

    private struct Suites: Decodable { let suites: [Suite] }

    private struct Suite: Decodable {
        let id: String
        let tests: [Case]
    }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let kind: String
        let profile: String
        let requests: [Request]

        var testDescription: String { id }
    }

    struct Request: Decodable, Sendable {
        let pause: Double
        let requestHeaders: [Header]
        let responseHeaders: [Header]
        let expectation: String?
        let status: Int

        private enum Key: String, CodingKey {
            case pause = "pause_after_s"
            case requestHeaders = "request_headers"
            case responseHeaders = "response_headers"
            case expectation = "expected_type"
            case status = "response_status"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            pause = try values.decode(Double.self, forKey: .pause)
            requestHeaders = try values.decode([Header].self, forKey: .requestHeaders)
            responseHeaders = try values.decode([Header].self, forKey: .responseHeaders)
            expectation = try values.decodeIfPresent(String.self, forKey: .expectation)
            status = try values.decodeIfPresent(Int.self, forKey: .status) ?? 200
        }

        func headers(now: Int64) -> HTTPHeaders {
            let told = HTTPHeaders(responseHeaders.map { ($0.name, $0.text(now: now)) })
            if told["Date"] != nil { return told }
            return HTTPHeaders(told.map { ($0.name, $0.value) } + [("Date", Header.date(now))])
        }
    }

    struct Header: Decodable, Sendable {
        let name: String
        let value: String?
        /// The number of seconds from the time of the response.
        let delta: Int64?

        func text(now: Int64) -> String { value ?? delta.map { Self.date(now + $0) } ?? "" }

        static func date(_ second: Int64) -> String {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "GMT")
            formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            return formatter.string(from: Date(timeIntervalSince1970: Double(second)))
        }
    }
}
