import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

@Suite struct FailureMemoryTests {
    private typealias Memory = FailureMemory<Int>

    @Test(
        arguments: [
            (.badStatus(404), 300), (.badStatus(410), 3600), (.badStatus(400), 300), (.badStatus(402), 300),
            (.badStatus(405), 300), (.badStatus(451), 300), (.badStatus(499), 300),
            (.redirectRefused(location: "", reason: ""), 60), (.limitExceeded(.redirects, value: 2, allowed: 1), 60),
            (.notAnImage(found: ""), 60), (.corruptImage(.png, reason: ""), 60),
            (.unsupportedImage(.png, reason: ""), 60),
            (.emptyBody, 60), (.limitExceeded(.inputBytes, value: 2, allowed: 1), 60),
            (.badStatus(401), 0), (.badStatus(403), 0), (.badStatus(407), 0), (.badStatus(408), 0),
            (.badStatus(409), 0),
            (.badStatus(425), 0), (.badStatus(429), 0), (.badStatus(500), 0), (.badStatus(503), 0),
            (.badStatus(304), 0),
            (.timedOut(.idle), 0), (.connectionFailed(.hostNotFound, detail: ""), 0), (.cancelled, 0),
            (.malformedResponse(""), 0), (.truncated(received: 1, expected: 2), 0),
            (.fileUnreadable(path: "", reason: ""), 0), (.invalidURL("", reason: ""), 0),
        ] as [(ImageLoaderError, Int)])
    func failure_isRememberedForTheLifetimeOfItsClass(error: ImageLoaderError, seconds: Int) {
        var memory = Memory()
        memory.record(1, error, now: .seconds(10))
        if seconds > 0 {
            #expect(memory.error(for: 1, now: .seconds(10)) == error)
            #expect(memory.error(for: 1, now: .seconds(10 + seconds) - .nanoseconds(1)) == error)
        }
        #expect(memory.error(for: 1, now: .seconds(10 + seconds)) == nil)
        #expect(memory.error(for: 2, now: .seconds(10)) == nil)
        #expect(FailureLifetimes.none.lifetime(of: error) == .zero)
    }

    @Test func laterFailure_replacesTheEarlierOne() {
        var memory = Memory()
        memory.record(1, .badStatus(404), now: .zero)
        memory.record(1, .badStatus(410), now: .seconds(200))
        #expect(memory.error(for: 1, now: .seconds(400)) == .badStatus(410))
        memory.record(1, .badStatus(503), now: .seconds(500))
        #expect(memory.error(for: 1, now: .seconds(500)) == nil)
        #expect(memory.errorBeforeFallback(for: 1, now: .seconds(500)) == .badStatus(503))
        memory.record(1, .cancelled, now: .seconds(500))
        #expect(memory.errorBeforeFallback(for: 1, now: .seconds(500)) == nil)
        #expect(memory.count == 0)
    }

    @Test(arguments: [ImageLoaderError.badStatus(404), .badStatus(503), .timedOut(.idle), .notAnImage(found: "")])
    func failure_permitsACachedFallback_forItsLifetime(error: ImageLoaderError) {
        var memory = Memory()
        memory.record(1, error, now: .seconds(10))
        let end = Duration.seconds(40)
        #expect(memory.errorBeforeFallback(for: 1, now: end - .nanoseconds(1)) == error)
        #expect(memory.errorBeforeFallback(for: 1, now: end) == nil)
        // The clock was set back.
        #expect(memory.errorBeforeFallback(for: 1, now: .seconds(9)) == nil)
        #expect(memory.errorBeforeFallback(for: 2, now: .seconds(10)) == nil)
    }

    @Test func nonAnswerFailure_onlyPermitsACachedFallback() {
        var memory = Memory()
        memory.record(1, .badStatus(404), isAnswer: false, now: .zero)
        #expect(memory.error(for: 1, now: .zero) == nil)
        #expect(memory.errorBeforeFallback(for: 1, now: .zero) == .badStatus(404))
    }

    @Test(arguments: [0, 7, 365 * 86_400] as [Int64]) func lifetimeWithACachedFallback_isConfigurable(seconds: Int64) {
        var lifetimes = FailureLifetimes.none
        lifetimes.withCachedFallback = .seconds(seconds)
        for (error, end) in [(ImageLoaderError.badStatus(503), seconds), (.cancelled, 0)] {
            var memory = Memory(lifetimes: lifetimes)
            memory.record(1, error, now: .zero)
            let last = memory.errorBeforeFallback(for: 1, now: .seconds(end) - .nanoseconds(1))
            #expect(last == (end == 0 ? nil : error))
            #expect(memory.errorBeforeFallback(for: 1, now: .seconds(end)) == nil)
        }
    }

    @Test func failure_isReturned_onlyForItsURL() throws {
        var memory = Memory()
        let urls = try ["1", "1#part", "2"].map { try URL.test("a.png?sig=\($0)") }
        memory.record(1, .badStatus(404), from: urls[1], now: .zero)
        for (url, isItsURL) in [(urls[0], true), (urls[1], true), (urls[2], false), (nil, false)] {
            let error = isItsURL ? ImageLoaderError.badStatus(404) : nil
            #expect(memory.error(for: 1, from: url, now: .zero) == error)
            #expect(memory.errorBeforeFallback(for: 1, from: url, now: .zero) == error)
        }
        memory.forget(1)
        #expect(memory.count == 0)
    }

    @Test func forgottenFailure_isNotReturned() {
        var memory = Memory()
        for key in 1...3 { memory.record(key, .badStatus(404), now: .zero) }
        memory.forget(1)
        memory.forget(9)
        #expect(memory.error(for: 1, now: .zero) == nil)
        #expect(memory.error(for: 2, now: .zero) == .badStatus(404))
        memory.forgetAll()
        #expect(memory.error(for: 2, now: .zero) == nil)
        #expect(memory.brokenInvariant == nil)
    }

    @Test func clockSetBack_prolongsNothing() {
        var memory = Memory()
        memory.record(1, .badStatus(404), now: .seconds(1_000_000))
        #expect(memory.error(for: 1, now: .zero) == nil)
        memory.record(2, .badStatus(404), now: .seconds(-5))
        #expect(memory.error(for: 2, now: .zero) == .badStatus(404))
        #expect(memory.error(for: 2, now: .seconds(295)) == nil)
        #expect(memory.brokenInvariant == nil)
    }

    @Test func expiredThenOldestFailures_areEvicted_whenFull() {
        var memory = Memory(capacity: 3)
        memory.record(1, .badStatus(404), now: .zero)
        memory.record(2, .emptyBody, now: .seconds(1))
        memory.record(3, .badStatus(404), now: .seconds(2))
        memory.record(4, .badStatus(404), now: .seconds(61))
        #expect((1...4).map { memory.error(for: $0, now: .seconds(61)) != nil } == [true, false, true, true])
        memory.record(5, .badStatus(404), now: .seconds(61))
        #expect((1...5).map { memory.error(for: $0, now: .seconds(61)) != nil } == [false, false, true, true, true])
        // A failure recorded again becomes the newest and evicts no other.
        memory.record(3, .badStatus(404), now: .seconds(62))
        #expect(memory.count == 3)
        memory.record(6, .badStatus(404), now: .seconds(62))
        #expect((3...6).map { memory.error(for: $0, now: .seconds(62)) != nil } == [true, false, true, true])
    }

    @Test func tenthOfAFullMemory_isEvicted_oldestFirst() {
        var memory = Memory(capacity: 20)
        for key in 0...20 { memory.record(key, .badStatus(404), now: .zero) }
        #expect((0...20).filter { memory.error(for: $0, now: .zero) == nil } == [0, 1, 2])
    }

    @Test(arguments: [Int.min, 0, 1])
    func capacity_isAtLeastOne(capacity: Int) {
        var memory = Memory(capacity: capacity)
        for key in 0..<5 { memory.record(key, .badStatus(404), now: .zero) }
        #expect(memory.count == 1)
        #expect(memory.error(for: 4, now: .zero) != nil)
    }

    @Test func randomHistories_matchADictionary() {
        var random = SeededRandom(seed: 13)
        var memory = Memory(capacity: 30)
        var model: [Int: (error: ImageLoaderError, at: Duration)] = [:]
        let errors: [ImageLoaderError] = [.badStatus(404), .badStatus(410), .emptyBody, .badStatus(500)]
        var now = Duration.zero
        var found = 0
        for _ in 0..<20_000 {
            now += .milliseconds(Int.random(in: -500...10_000, using: &random))
            let key = Int.random(in: 0..<50, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                memory.forget(key)
                model[key] = nil
            case 1...4:
                let error = errors[Int.random(in: 0..<4, using: &random)]
                memory.record(key, error, now: now)
                model[key] = (error, now)
            default:
                if let error = memory.errorBeforeFallback(for: key, now: now) {
                    must(model[key].map { $0.error == error && now - $0.at < .seconds(30) } == true)
                }
                guard let error = memory.error(for: key, now: now) else { continue }
                found += 1
                guard let known = model[key] else { return must(false, "it was never recorded") }
                must(known.error == error)
                must(now - known.at < FailureLifetimes().lifetime(of: error), "it has expired")
            }
            must(memory.brokenInvariant == nil, memory.brokenInvariant ?? "")
        }
        #expect(found > 500)
    }
}
