import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// Pictures that change on a server that fails at random, and their history.
///
/// Each version of a picture has one colour, which is still there after resizing and blurring, so a picture that a
/// caller was given tells its number and version.
final class ChaosSite: Sendable {
    static let count = 200

    /// What the server says of how long a picture may be reused.
    enum Rule: Int, CaseIterable {
        case notStored, confirmed, oneSecond, byDefault, weakTag, oneHour

        var fields: HTTPHeaders {
            switch self {
            case .notStored: ["Cache-Control": "no-store"]
            case .confirmed: ["Cache-Control": "no-cache"]
            case .oneSecond: ["Cache-Control": "max-age=1"]
            case .byDefault: [:]
            case .weakTag: ["Cache-Control": "max-age=0, must-revalidate"]
            case .oneHour: ["Cache-Control": "max-age=3600"]
            }
        }

        /// A loader's ``CacheRules/defaultLifetime`` is one second here.
        var lifetime: Duration {
            switch self {
            case .notStored, .confirmed, .weakTag: .zero
            case .oneSecond, .byDefault: .seconds(1)
            case .oneHour: .seconds(3_600)
            }
        }
    }

    struct Picture: Sendable {
        /// When each version became the current one.
        var versions: [ContinuousClock.Instant] = [.now]
        var served: Set<Int> = []
        var wasDamaged = false
    }

    private let state = Mutex(
        (
            pictures: [Picture](repeating: Picture(), count: ChaosSite.count), random: SeededRandom(seed: 0),
            files: [PixelColor: Data]()
        ))

    init(seed: UInt64) { state.withLock { $0.random = SeededRandom(seed: seed) } }

    static func rule(_ number: Int) -> Rule { Rule.allCases[number % Rule.allCases.count] }

    func picture(_ number: Int) -> Picture { state.withLock { $0.pictures[number] } }

    /// Replaces a picture with its next version.
    func change(_ number: Int) { state.withLock { $0.pictures[number].versions.append(.now) } }

    static func color(_ number: Int, _ version: Int) -> PixelColor {
        let mark = (number &* 31 &+ version &* 17) & 255
        return PixelColor(red: UInt8(number), green: UInt8(version & 255), blue: UInt8(mark))
    }

    static func size(_ number: Int) -> PixelSize { PixelSize(width: 24 + number % 50, height: 20 + number % 30) }

    /// The version that a colour belongs to, nil if it isn't one of the picture's. Versions that differ by 256 have the
    /// same colour, so it is the newest of these.
    func version(of color: PixelColor, number: Int) -> Int? {
        let newest = picture(number).versions.count - 1
        return (max(0, newest - 255)...newest).last { Self.color(number, $0) == color }
    }

    /// The file of a version.
    func file(_ number: Int, _ version: Int) -> Data {
        let color = Self.color(number, version)
        if let file = state.withLock({ $0.files[color] }) { return file }
        do {
            let size = Self.size(number)
            let file = try Pictures.png(width: size.width, height: size.height, color: color)
            state.withLock { $0.files[color] = file }
            return file
        } catch {
            return Data()
        }
    }

    // MARK: Serving

    private enum Fault: CaseIterable {
        case status, truncated, reset, early, dripping, chunked, damaged, redirected, stalled

        /// One reply in three has a fault. Few stall, as each of these keeps a slot for long.
        static func random(using random: inout SeededRandom) -> Fault? {
            let number = Int.random(in: 0..<330, using: &random)
            return number < 80 ? allCases[number / 10] : number < 120 ? .dripping : number == 120 ? .stalled : nil
        }
    }

    func reply(to request: LoopbackServer.RecordedRequest) -> LoopbackServer.Reply {
        guard let number = Int(request.path.split(separator: "/").last ?? ""), number < Self.count else {
            return .status(404)
        }
        let (version, fault) = state.withLock { state in
            (state.pictures[number].versions.count - 1, Fault.random(using: &state.random))
        }
        let file = file(number, version)
        return faulty(whole(request, number, version, file), fault, request, number, file)
    }

    /// The current version as a server without faults sends it.
    private func whole(
        _ request: LoopbackServer.RecordedRequest, _ number: Int, _ version: Int, _ file: Data
    ) -> LoopbackServer.Reply {
        let rule = Self.rule(number)
        let tag = (rule == .weakTag ? "W/" : "") + "\"\(number)-\(version)\""
        // A version is noted once more than it is sent, if it is sent in part or confirmed only.
        _ = state.withLock { $0.pictures[number].served.insert(version) }
        var reply = LoopbackServer.Reply.resource(file, contentType: "image/png", etag: tag, for: request)
        for field in rule.fields { reply = reply.header(field.name, field.value) }
        return reply
    }

    private func faulty(
        _ reply: LoopbackServer.Reply, _ fault: Fault?, _ request: LoopbackServer.RecordedRequest, _ number: Int,
        _ file: Data
    ) -> LoopbackServer.Reply {
        switch fault {
        case nil: return reply
        case .status: return .status([404, 500, 503][number % 3])
        case .truncated: return reply.truncating(.afterBytes(reply.body.count / 2))
        case .reset: return reply.resetting(.afterBytes(reply.body.count / 3))
        case .early: return reply.resetting(.beforeHead)
        case .stalled: return reply.stalling(number.isMultiple(of: 2) ? .beforeHead : .afterBytes(10))
        case .dripping: return reply.dripping(1 + reply.body.count / 8, every: .milliseconds(2))
        case .chunked: return reply.chunked(50)
        case .damaged:
            // A cache may hold the damaged file for as long as its rule allows.
            guard reply.status == 200 else { return reply }
            state.withLock { $0.pictures[number].wasDamaged = true }
            return .bytes(Data(file.prefix(40)) + Data(repeating: 0x55, count: 60), contentType: "image/png")
                .header("Cache-Control", "no-store")
        case .redirected:
            return request.target.contains("?") ? reply : .redirect(to: "/again/\(number)?moved")
        }
    }
}
