import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Random header fields, times and policies, through the parser and the decisions.
@Suite(.ownThreads) struct CacheFuzzTests {
    private static let now: Int64 = 1_800_000_000

    private static let alphabet = "0123456789 ,;:-=*\"abc"

    private struct Sample {
        var head = ResponseHead(status: 200, url: URL(fileURLWithPath: "/"))
        /// A redirect that led to it.
        var redirect: ResponseHead?
        var request = HTTPHeaders()
        var policy = CacheReadPolicy.http
        var delay: Int64 = 0
        var later: Int64 = 0
    }

    @Test func decisions_keepTheirPromises() {
        var random = SeededRandom(seed: Fuzz.seed)
        for _ in 0..<Fuzz.steps {
            let sample = sample(&random)
            if let problem = problem(sample) {
                Issue.record("\(problem): \(sample)")
                return
            }
        }
    }

    // MARK: What holds for each

    private func problem(_ sample: Sample) -> String? {
        let received = Self.now
        let exchange = Freshness.Exchange(request: received - sample.delay, response: received)
        let redirects = sample.redirect.map { Freshness($0.headers, status: $0.status, exchange) }
        let response = StoredResponse(sample.head, bytes: 9, exchange, CacheRules(), redirects: redirects)
        let (freshness, now) = (response.freshness, received &+ sample.later)
        if freshness.age(at: now) < 0 { return "a negative age" }
        if freshness.lifetime < .zero { return "a negative lifetime" }
        if Freshness(encoded: freshness.encoded) != freshness { return "another freshness after a restart" }
        if freshness.isFresh(at: now), now >= received, .seconds(freshness.age(at: now)) >= freshness.lifetime {
            return "fresh beyond its lifetime"
        }
        if freshness.isFresh(at: now), now > received, !freshness.isFresh(at: received) { return "fresh again" }
        if freshness.isFresh(at: received - 3600) { return "fresh before it came" }
        let query = CacheQuery(sample.policy, RequestDirectives(sample.request))
        if let problem = problem(query, query.decision(on: freshness, at: now), sample, freshness, now) {
            return problem
        }
        if let redirects {
            let direct = StoredResponse(sample.head, bytes: 9, exchange, CacheRules()).freshness
            if let problem = problem(freshness, direct, redirects) { return problem }
        }
        return problem(response, exchange, redirects)
    }

    /// What a response that was reached over redirects may be used for, it and they may be used for themselves.
    private func problem(_ freshness: Freshness, _ direct: Freshness, _ redirects: Freshness) -> String? {
        for later: Int64 in [0, 1, 59, 60, 61, 89, 90, 150, 3_600, 86_400, 86_401, 1 << 32] {
            let now = Self.now + later
            for one in [direct, redirects] {
                if freshness.isFresh(at: now), !one.isFresh(at: now) { return "fresh for longer than a part of it" }
                if freshness.isImmutable(at: now), !one.isImmutable(at: now) {
                    return "immutable, but for a part of it"
                }
                if freshness.isUsable(whileRevalidatingAt: now), !one.isUsable(whileRevalidatingAt: now),
                    !one.isFresh(at: now)
                {
                    return "usable for longer while it is revalidated"
                }
                if freshness.isUsable(afterErrorAt: now), !one.isUsable(afterErrorAt: now), !one.isFresh(at: now) {
                    return "usable for longer after an error"
                }
            }
        }
        return nil
    }

    private func problem(
        _ query: CacheQuery, _ decision: CacheQuery.Decision, _ sample: Sample, _ freshness: Freshness, _ now: Int64
    ) -> String? {
        let text = (sample.head.headers["Cache-Control"] ?? "").lowercased()
        // Between quotes, words are no directives.
        let mustAsk =
            !text.contains("=\"")
            && text.split(separator: ",").contains {
                ["no-cache", "no-store"].contains($0.trimmingCharacters(in: [" ", "\t"]))
            }
        if freshness.matchesNoRequest, query.policy != .reload {
            return decision == (query.isOffline ? .fail : .revalidate) ? nil : "\(decision) although nothing matches"
        }
        switch (query.policy, decision) {
        case (.reload, .fetch), (.immutable, .use), (.cachedOnly, .use): return nil
        case (.reload, _), (.immutable, _), (.cachedOnly, _): return "\(decision) under \(query.policy)"
        case (.revalidate, .use): return freshness.isImmutable(at: now) ? nil : "not revalidated"
        case (.revalidate, _): return decision == .revalidate ? nil : "\(decision) under revalidate"
        case (.http, .use(stale: nil)):
            if mustAsk { return "a response with no-cache or no-store is used" }
            if query.directives.forbidsReuse { return "a request with no-cache is answered" }
            return freshness.isFresh(at: now) ? nil : "a stale response is used as if it were fresh"
        case (.http, .use), (.http, .useAndRevalidate):
            let mustRevalidate = text.split(separator: ",").contains {
                $0.trimmingCharacters(in: [" ", "\t"]) == "must-revalidate"
            }
            return mustAsk || mustRevalidate && !text.contains("=\"")
                ? "a response is used that must be validated" : nil
        case (.http, .fail): return query.directives.onlyIfCached ? nil : "no server is asked"
        case (.http, .revalidate): return query.directives.onlyIfCached ? "a server is asked" : nil
        case (.http, .fetch): return "fetched although it could be revalidated"
        }
    }

    private func problem(
        _ response: StoredResponse, _ exchange: Freshness.Exchange, _ redirects: Freshness?
    ) -> String? {
        if let problem = problemOfConditions(response, redirects != nil) { return problem }
        for name in ["Set-Cookie", "Connection"] where response.headers[name] != nil { return "\(name) is stored" }
        var head = ResponseHead(status: 304, url: URL(fileURLWithPath: "/"), headers: ["X-New": "1"])
        guard let conditions = response.conditions else { return nil }
        head.headers["ETag"] = conditions["If-None-Match"]
        guard response.isConfirmed(by: head, isRedirected: redirects != nil) else {
            return "not confirmed by its own validator"
        }
        head.headers["Last-Modified"] = "Sun, 06 Nov 1994 08:49:37 GMT"
        let renewed = response.confirmed(by: head, exchange, CacheRules(), redirects: redirects)
        if let problem = problemOfConditions(renewed, redirects != nil) { return problem }
        if renewed.version != response.version || renewed.status != response.status { return "another version" }
        if renewed.headers["X-New"] != "1" { return "not renewed" }
        for isRedirected in [false, true] {
            head.headers["ETag"] = (response.headers["ETag"] ?? "") + "x"
            if response.isConfirmed(by: head, isRedirected: isRedirected) { return "confirmed by another validator" }
        }
        head.headers["ETag"] = nil
        return response.isConfirmed(by: head, isRedirected: true) ? "confirmed by an unknown resource" : nil
    }

    private func problemOfConditions(_ response: StoredResponse, _ isRedirected: Bool) -> String? {
        let (conditions, tag) = (response.conditions, response.headers["ETag"])
        if let sent = conditions?["If-None-Match"] {
            if sent != tag { return "another validator than the stored one" }
            // Not the characters, in which a quote may be joined with what follows it.
            let parts = sent.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
            if sent == "*" || ![1, 3].contains(parts.count) || parts.last?.isEmpty == false && parts.count == 3
                || parts.count == 1 && sent.utf8.contains(UInt8(ascii: ","))
            {
                return "a condition that several tags meet"
            }
        } else if ["\"a\"", "c", "W/\"b\""].contains(tag), !isRedirected || tag?.hasPrefix("W/") == false {
            return "no validator"
        }
        guard isRedirected else { return nil }
        return conditions?["If-Modified-Since"] != nil || conditions?["If-None-Match"]?.hasPrefix("W/") == true
            ? "a condition that another resource may meet" : nil
    }

    /// What varies by anything in a request is found only by requests that agree in it.
    @Test func requestsThatDifferInAField_shareNoEntry() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for _ in 0..<Fuzz.steps / 20 {
            let names = ["Accept", "Accept-Language", "Authorization", "Cookie", "X-Any"]
            let name = names[Int.random(in: 0..<names.count, using: &random)]
            let one = random.rubbish(from: ["de", "en, fr"], alphabet: Self.alphabet)
            let others = [
                random.rubbish(from: ["de", "en;q=1"], alphabet: Self.alphabet),
                one.replacingOccurrences(of: ",", with: " , "), one.uppercased(), one + ",",
            ]
            let other = others.randomElement(using: &random) ?? ""
            let keys = try [one, other].map { value in ResourceKey(try ImageRequest.test { $0.headers[name] = value }) }
            let isSame = plain(one, name) == plain(other, name)
            #expect((keys[0] == keys[1]) == isSame, "\(name): \(one) and \(other)")
        }
    }

    /// A value without what doesn't matter.
    private func plain(_ value: String, _ name: String) -> String {
        guard name.hasPrefix("Accept") else { return value }
        if value.contains("\"") { return value }
        let members = value.split(separator: ",").map { part in
            String(
                decoding: part.utf8.drop { $0 == 32 || $0 == 9 }.reversed().drop { $0 == 32 || $0 == 9 }.reversed(),
                as: UTF8.self)
        }.filter { !$0.isEmpty }
        guard name == "Accept-Language" else { return members.joined(separator: ",") }
        return members.map { $0.lowercased().filter { $0 != " " } }.sorted().joined(separator: ",")
    }

    // MARK: Making samples

    private func sample(_ random: inout SeededRandom) -> Sample {
        var sample = Sample()
        sample.policy = CacheReadPolicy.allCases.randomElement(using: &random) ?? .http
        sample.head.status = [200, 203, 206, 301, 404, 500].randomElement(using: &random) ?? 200
        let fields = Int.random(in: 0...6, using: &random)
        for _ in 0..<fields { sample.head.headers.append(responseField(&random)) }
        if Bool.random(using: &random) { sample.request["Cache-Control"] = directives(Self.ofRequests, &random) }
        if Int.random(in: 0..<9, using: &random) == 0 { sample.request["Pragma"] = "no-cache" }
        if Bool.random(using: &random) {
            var redirect = ResponseHead(
                status: [301, 302, 308].randomElement(using: &random) ?? 302, url: URL(fileURLWithPath: "/"))
            for _ in 0..<Int.random(in: 0...3, using: &random) { redirect.headers.append(responseField(&random)) }
            sample.redirect = redirect
        }
        sample.delay = [0, 3, -5, 1 << 40].randomElement(using: &random) ?? 0
        sample.later = [0, 1, 59, 60, 3600, 86_400 * 8, -3600, 1 << 40].randomElement(using: &random) ?? 0
        return sample
    }

    private func responseField(_ random: inout SeededRandom) -> HTTPHeaders.Field {
        let dates = [
            "Fri, 15 Jan 2027 08:00:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "0",
        ]
        let date = random.rubbish(from: dates, alphabet: Self.alphabet)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .init(name: "Expires", value: date)
        case 1: return .init(name: "Date", value: date)
        case 2: return .init(name: "Last-Modified", value: date)
        case 3:
            return .init(
                name: "Age",
                value: random.rubbish(from: ["1", "99999999999999999999", "-1", "2, 3"], alphabet: Self.alphabet))
        case 4:
            return .init(name: "ETag", value: random.rubbish(from: ["\"a\"", "W/\"b\"", "c"], alphabet: Self.alphabet))
        case 5:
            return .init(
                name: "Vary", value: random.rubbish(from: ["*", "Accept", "Accept, *"], alphabet: Self.alphabet))
        case 6: return .init(name: ["Set-Cookie", "Connection"].randomElement(using: &random) ?? "", value: "Age, a=b")
        default: return .init(name: "cache-control", value: directives(Self.ofResponses, &random))
        }
    }

    private func directives(_ words: [String], _ random: inout SeededRandom) -> String {
        let count = Int.random(in: 0...4, using: &random)
        return (0..<count).map { _ in
            let word = words.randomElement(using: &random) ?? ""
            return Int.random(in: 0..<8, using: &random) == 0
                ? random.rubbish(from: [word], alphabet: Self.alphabet) : word
        }.joined(separator: [",", ", ", " ,"].randomElement(using: &random) ?? ",")
    }

    private static let ofResponses = [
        "max-age=60", "max-age=0", "MAX-AGE=\"60\"", "max-age", "max-age=-1", "max-age=9999999999999", "no-cache",
        "no-store", "no-cache=\"a, b\"", "must-revalidate", "immutable", "private", "public", "s-maxage=7",
        "stale-while-revalidate=90", "stale-if-error=90", "unknown=\"a,no-cache\"",
    ]
    private static let ofRequests = [
        "max-age=60", "max-age=0", "max-stale", "max-stale=30", "min-fresh=30", "min-fresh", "no-cache", "no-store",
        "only-if-cached", "max-stale=x", "unknown",
    ]
}
