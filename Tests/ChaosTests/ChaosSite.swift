import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

@testable import TestFixtures

/// Images that change on a server that fails at random, and their history.
///
/// Each version of an image has one color for each language, which survives resizing and blurring. So an image that a
/// caller receives identifies its number, its version and its language.
final class ChaosSite: Sendable {
    static let count = 120

    /// The languages that a request may ask for. Half of the images vary by language.
    static let languages: [String?] = [nil, "de", "fr"]

    static func varies(_ number: Int) -> Bool { number / 12 % 2 == 1 }

    /// Whether callers remove an image. The others stay in the caches long enough to become stale.
    static func isRemoved(_ number: Int) -> Bool { number / 6 % 2 == 0 }

    /// Whether the server occasionally damages an image.
    static func isDamaged(_ number: Int) -> Bool { number % 10 == 7 }

    static func path(_ number: Int) -> String { "/\(isRemoved(number) ? "removed" : "kept")/\(number)" }

    static func tag(_ number: Int) -> String { "\(isRemoved(number)) \(number % 10)" }

    /// The server's rule for how long an image may be reused.
    enum Rule: Int, CaseIterable {
        case notStored, confirmed, oneSecond, byDefault, weakTag, oneHour

        var fields: HTTPHeaders {
            switch self {
            case .notStored: ["Cache-Control": "no-store"]
            case .confirmed: ["Cache-Control": "no-cache"]
            case .oneSecond: ["Cache-Control": "max-age=1, stale-while-revalidate=2, stale-if-error=60"]
            case .byDefault: [:]
            case .weakTag: ["Cache-Control": "max-age=0, must-revalidate"]
            case .oneHour: ["Cache-Control": "max-age=3600"]
            }
        }

        /// The lifetime by this rule. In this test, a loader's ``CacheRules/defaultLifetime`` is one second.
        var lifetime: Duration {
            switch self {
            case .notStored, .confirmed, .weakTag: .zero
            case .oneSecond, .byDefault: .seconds(1)
            case .oneHour: .seconds(3_600)
            }
        }
    }

    struct Picture: Sendable {
        /// The time at which each version became the current one.
        var versions: [ContinuousClock.Instant] = [.now]
        var served: Set<Int> = []
        var wasDamaged = false
        var replies = 0
        /// The latest replies, for failure reports.
        var log: [(ContinuousClock.Instant, String)] = []
    }

    private let state = Mutex(
        (
            pictures: [Picture](repeating: Picture(), count: ChaosSite.count), random: SeededRandom(seed: 0),
            files: [PixelColor: Data](), once: [String: Int]()
        ))

    init(seed: UInt64) { state.withLock { $0.random = SeededRandom(seed: seed) } }

    static func rule(_ number: Int) -> Rule { Rule.allCases[number % Rule.allCases.count] }

    func picture(_ number: Int) -> Picture { state.withLock { $0.pictures[number] } }

    /// Replaces an image with its next version.
    func change(_ number: Int) { state.withLock { $0.pictures[number].versions.append(.now) } }

    static func color(_ number: Int, _ version: Int, _ language: String?) -> PixelColor {
        let user = varies(number) ? languages.firstIndex(of: language) ?? 0 : 0
        let mark = (number &* 31 &+ version &* 17 &+ user &* 85) & 255
        return PixelColor(red: UInt8(number), green: UInt8(version & 255), blue: UInt8(mark))
    }

    static func size(_ number: Int) -> PixelSize { PixelSize(width: 24 + number % 50, height: 20 + number % 30) }

    /// The version that a color belongs to; nil if the image never had that color. Versions whose numbers differ by a
    /// multiple of 256 have the same color; the newest of them is returned.
    func version(of color: PixelColor, number: Int, _ language: String?) -> Int? {
        let newest = picture(number).versions.count - 1
        return (max(0, newest - 255)...newest).last { Self.color(number, $0, language) == color }
    }

    /// The file of a version. It is uncompressed, so it has several kilobytes.
    func file(_ number: Int, _ version: Int, _ language: String?) -> Data {
        let color = Self.color(number, version, language)
        if let file = state.withLock({ $0.files[color] }) { return file }
        let size = Self.size(number)
        var file = PNGFixture(width: size.width, height: size.height)
        let pixels = (0..<size.width).flatMap { _ in [color.red, color.green, color.blue] }
        file.rows = (0..<size.height).flatMap { _ in [0] + pixels }
        let data = file.data
        state.withLock { $0.files[color] = data }
        return data
    }

    // MARK: Serving

    private enum Fault: CaseIterable {
        case status, truncated, reset, early, dripping, chunked, damaged, redirected, stalled

        /// Returns a fault for one reply in four. Few replies stall, because each of them occupies a slot for long.
        static func random(using random: inout SeededRandom) -> Fault? {
            let number = Int.random(in: 0..<1_000, using: &random)
            return number < 240 ? allCases[number / 30] : number == 240 ? .stalled : nil
        }
    }

    /// The number of requests for an image that is loaded only once.
    func requestsOfOnce(_ path: String) -> Int { state.withLock { $0.once[path] ?? 0 } }

    func reply(to request: LoopbackServer.RecordedRequest) -> LoopbackServer.Reply {
        if request.path.hasPrefix("/once/") {
            state.withLock { $0.once[request.path, default: 0] += 1 }
            return .bytes(file(0, 0, nil), contentType: "image/png").header("Cache-Control", "no-store")
                .dripping(1_000, every: .milliseconds(1))
        }
        guard let number = Int(request.path.split(separator: "/").last ?? ""), number < Self.count else {
            return .status(404)
        }
        let (version, fault) = state.withLock { state in
            (state.pictures[number].versions.count - 1, Fault.random(using: &state.random))
        }
        let language = request.headers["Accept-Language"]
        let file = file(number, version, language)
        let reply = faulty(whole(request, number, version, language, file), fault, request, number, file)
        let validator = request.headers["If-None-Match"] ?? request.headers["If-Range"] ?? "nothing"
        let entry =
            "served \(reply.status) of version \(version) for \(validator), \(fault.map { "\($0)" } ?? "no fault")"
        state.withLock { state in
            if state.pictures[number].log.count >= 40 { state.pictures[number].log.removeFirst(20) }
            state.pictures[number].log.append((.now, entry))
        }
        return reply
    }

    /// The current version, as a server without faults sends it.
    private func whole(
        _ request: LoopbackServer.RecordedRequest, _ number: Int, _ version: Int, _ language: String?, _ file: Data
    ) -> LoopbackServer.Reply {
        let rule = Self.rule(number)
        let tag =
            (rule == .weakTag ? "W/" : "") + "\"\(number)-\(version)-\(Self.varies(number) ? language ?? "" : "")\""
        // A reply that only confirms a version, or sends a part of it, is recorded too.
        state.withLock { state in
            state.pictures[number].served.insert(version)
            state.pictures[number].replies += 1
        }
        var reply = LoopbackServer.Reply.resource(file, contentType: "image/png", etag: tag, for: request)
        for field in rule.fields { reply = reply.header(field.name, field.value) }
        return Self.varies(number) ? reply.header("Vary", "Accept-Language") : reply
    }

    private func faulty(
        _ reply: LoopbackServer.Reply, _ fault: Fault?, _ request: LoopbackServer.RecordedRequest, _ number: Int,
        _ file: Data
    ) -> LoopbackServer.Reply {
        switch fault {
        // The transfer of a removable image takes long, so that removals coincide with loads.
        case nil where Self.isRemoved(number): return reply.dripping(1 + reply.body.count / 8, every: .milliseconds(2))
        case nil: return reply
        case .status: return .status([404, 500, 503][number % 3])
        case .truncated: return reply.truncating(.afterBytes(reply.body.count / 2))
        case .reset: return reply.resetting(.afterBytes(reply.body.count / 3))
        case .early: return reply.resetting(.beforeHead)
        // A background revalidation may have no caller that could cancel it, so it must not stall.
        case .stalled where Self.rule(number) == .oneSecond: return reply
        case .stalled: return reply.stalling(number.isMultiple(of: 2) ? .beforeHead : .afterBytes(10))
        case .dripping: return reply.dripping(1 + reply.body.count / 8, every: .milliseconds(2))
        case .chunked: return reply.chunked(50)
        case .damaged:
            // A cache may keep the damaged file for as long as its rule allows.
            guard reply.status == 200, Self.isDamaged(number) else { return reply }
            state.withLock { $0.pictures[number].wasDamaged = true }
            return .bytes(Data(file.prefix(40)) + Data(repeating: 0x55, count: 60), contentType: "image/png")
                .header("Cache-Control", "no-store")
        case .redirected:
            return request.target.contains("?") ? reply : .redirect(to: "\(Self.path(number))?moved")
        }
    }
}
