import Alcedo
import Foundation

/// Runs cases one after another with a client, whose cache is under test.
struct HTTPCacheRunner: Sendable {
    let origin: ConformanceOrigin
    /// The clock of the origin and the client. Pauses advance it.
    let clock: ConformanceClock
    /// The scheme and the authority of the URLs.
    var base = "http://origin.test"
    /// Creates the identifiers of runs. Some cases rely on their 36 characters.
    var makeID: @Sendable () -> String = { UUID().uuidString.lowercased() }
    let client: ConformanceClient

    /// The profiles of a private cache of GET responses.
    static let profiles: Set = ["core", "range"]

    /// The verdicts on the cases of some profiles, in the order of the set.
    ///
    /// Cases of other profiles are run if these depend on them.
    func results(of set: HTTPCacheCaseSet, profiles: Set<String> = profiles) async -> [HTTPCacheResult] {
        let cases = Dictionary(set.cases.map { ($0.id, $0) }) { first, _ in first }
        let selected = set.cases.filter { profiles.contains($0.profile) }
        var needed = Set(selected.map(\.id))
        var new = selected
        while let test = new.popLast() {
            new += test.dependencies.compactMap { needed.insert($0).inserted ? cases[$0] : nil }
        }
        var results = Results(cases: cases)
        for test in set.cases where needed.contains(test.id) && test.appliesToClients {
            results.outcomes[test.id] = await run(test)
        }
        return selected.map { results.result(of: $0) }
    }

    /// Runs a case, regardless of its dependencies.
    func run(_ test: HTTPCacheCase) async -> Result<Void, HTTPCacheFailure> {
        let id = makeID()
        guard origin.configure(id, test.requests) else {
            return .failure(HTTPCacheFailure(.setup, "the origin already has a run \(id)"))
        }
        let judge = HTTPCacheJudge(requests: test.requests, id: id)
        var replies: [ConformanceReply?] = []
        do throws(HTTPCacheFailure) {
            for (index, request) in test.requests.enumerated() {
                let message = try message(request, index + 1, id, after: replies.last ?? nil)
                switch await client(message) {
                case .success(let reply):
                    try judge.judge(reply, to: index + 1)
                    replies.append(reply)
                case .failure(let error):
                    try judge.judge(error, to: index + 1)
                    replies.append(nil)
                }
                clock.advance(by: request.pause)
            }
            try judge.judge(origin.seen(id), replies)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func message(
        _ request: HTTPCacheCase.Request, _ number: Int, _ id: String, after previous: ConformanceReply?
    ) throws(HTTPCacheFailure) -> ConformanceRequest {
        guard let url = URL(string: base + request.target(id)) else {
            throw HTTPCacheFailure(.setup, "request \(number): \(base + request.target(id)) is not a URL")
        }
        var now = clock.millisecondsSince1970
        if request.datesFromPreviousResponse, let text = previous?.headers["Server-Now"], let sent = Int64(text) {
            now = sent
        }
        var headers: HTTPHeaders = [:]
        for field in request.headers {
            let text = request.text(of: field, now: now, base: "")
            headers[field.name] = headers[field.name].map { "\($0), \(text)" } ?? text
        }
        return ConformanceRequest(
            method: request.method, url: url, headers: headers, marks: ["Test-ID": id, "Req-Num": "\(number)"],
            body: request.body.map { Data($0.utf8) }, followsRedirects: request.redirectMode != .manual,
            revalidates: request.cacheMode == .noCache)
    }
}

/// Computes verdicts, which depend on those of other cases.
private struct Results {
    let cases: [String: HTTPCacheCase]
    /// The outcomes of those that were run.
    var outcomes: [String: Result<Void, HTTPCacheFailure>] = [:]
    private var results: [String: HTTPCacheResult] = [:]

    init(cases: [String: HTTPCacheCase]) { self.cases = cases }

    mutating func result(of test: HTTPCacheCase) -> HTTPCacheResult {
        if let result = results[test.id] { return result }
        // A case that depends on itself can't pass.
        results[test.id] = HTTPCacheResult(test: test, verdict: .dependencyFail, message: "depends on itself")
        let result = judge(test)
        results[test.id] = result
        return result
    }

    private mutating func judge(_ test: HTTPCacheCase) -> HTTPCacheResult {
        guard let outcome = outcomes[test.id] else {
            return HTTPCacheResult(test: test, verdict: .untested, message: "not for a cache inside a client")
        }
        // A set may lack cases that others depend on.
        for dependency in test.dependencies.compactMap({ cases[$0] }) {
            let verdict = result(of: dependency).verdict
            if verdict.isPass { continue }
            let message = "depends on \(dependency.id), whose verdict is \(verdict.rawValue)"
            return HTTPCacheResult(test: test, verdict: .dependencyFail, message: message)
        }
        switch outcome {
        case .success:
            return HTTPCacheResult(test: test, verdict: HTTPCacheVerdict(test.kind, nil), message: nil)
        case .failure(let failure):
            let verdict = HTTPCacheVerdict(test.kind, failure)
            return HTTPCacheResult(test: test, verdict: verdict, message: failure.description)
        }
    }
}
