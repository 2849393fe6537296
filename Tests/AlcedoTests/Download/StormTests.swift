import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo

/// Many loads at once through a whole loader, three quarters of them cancelled at any moment of their life.
///
/// ALCEDO_STORM_LOADS is the number of loads, ALCEDO_STORM_SEED what their fates are drawn from. Where the number is
/// given, the storm is taken to have the process for itself, and descriptors and threads are counted too.
@Suite(.serialized, .timeLimit(.minutes(Storm.loads > 2_000 ? 60 : 3))) struct StormTests {
    // MARK: Storms

    @Test(arguments: RealTransport.all)
    func everyLoadEndsOnce_overKeptConnections(transport: RealTransport) async throws {
        let server = try LoopbackServer { Site.reply(to: $0) }
        let site = Site(paths: Site.faultyPaths) { server.url($0) }
        // What a process makes once and keeps is made before the count.
        try await storm(site, transport, TransportSettings(), loads: 4 * Storm.callers, untilCalm: server)
        let before = Footprint()
        try await storm(site, transport, TransportSettings(), loads: Storm.loads, untilCalm: server)
        if Storm.isAlone { try await before.isReachedAgain() }
    }

    /// For transports that can be told to trust the server.
    @Test(.enabled(if: NginxServer.isInstalled), arguments: RealTransport.all.filter(\.keepsTrust))
    func everyLoadEndsOnce_overHTTP2(transport: RealTransport) async throws {
        let files = (0..<Site.numbers).map { ("whole/\($0)", Site.body($0)) }
        let server = try NginxServer(files: Dictionary(uniqueKeysWithValues: files))
        let site = Site(paths: ["whole"]) { server.secureURL($0) }
        var settings = TransportSettings()
        settings.authorities = server.authority
        try await storm(site, transport, settings, loads: 4 * Storm.callers)
        let before = Footprint()
        try await storm(site, transport, settings, loads: Storm.loads)
        if Storm.isAlone { try await before.isReachedAgain() }
    }

    // MARK: One storm

    /// Runs `loads` loads and has the loader give everything back.
    private func storm(
        _ site: Site, _ transport: RealTransport, _ settings: TransportSettings, loads: Int,
        untilCalm server: LoopbackServer? = nil
    ) async throws {
        let isGone = try await run(site, transport, settings, loads: loads, server)
        // The transport is held by transfers until their last callback has come.
        for _ in 0..<10_000 where !isGone() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isGone())
        try await server?.until { $0.openConnections == 0 }
    }

    /// Returns a closure that tells whether the loader and its transport are gone.
    private func run(
        _ site: Site, _ transport: RealTransport, _ settings: TransportSettings, loads: Int,
        _ server: LoopbackServer?
    ) async throws -> () -> Bool {
        var settings = settings
        settings.connectionsPerHost = Storm.width + 2
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.download.width = Storm.width
        configuration.download.hostWidth = Storm.width
        // Within the storm nothing is so late: a load that hangs fails the test by its limit instead.
        configuration.download.idleTimeout = .seconds(3_600)
        let made = transport.make(settings)
        configuration.dataLoader = made
        let loader = ImageLoader(configuration)
        let tally = Tally()
        let time = await ContinuousClock().measure {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<Storm.callers {
                    group.addTask {
                        while let number = tally.next(below: loads) {
                            tally.count(await load(number, from: site, with: loader, server))
                        }
                    }
                }
            }
        }
        #expect(tally.ended == loads)
        print("storm, \(transport.testDescription): \(loads) loads, \(tally), \(time), seed \(Storm.seed)")
        // The connections that are left are the kept ones.
        try await server?.until { $0.activeRequests == 0 && $0.openConnections <= Storm.width + 2 }
        return { [weak loader, weak made] in loader == nil && made == nil }
    }

    /// One load and its fate. Returns whether it ended as cancelled.
    private func load(
        _ number: Int, from site: Site, with loader: ImageLoader, _ server: LoopbackServer?
    ) async -> Bool {
        var random = SeededRandom(seed: Storm.seed &* 1_000_003 &+ UInt64(number))
        let isToBeCancelled = number % 4 != 0
        let (url, body) = site.resource(number, mayHang: isToBeCancelled, using: &random)
        let seen = server?.statistics.requests ?? 0
        let load = Task { try await loader.data(for: ImageRequest(url: url)) }
        if isToBeCancelled {
            await moment(after: seen, server, using: &random)
            load.cancel()
        }
        switch await load.result {
        case .success(let data):
            must(data == body, "\(url): \(data.count) bytes")
            return false
        case .failure(let error):
            must(isToBeCancelled && error as? ImageLoaderError == .cancelled, "\(url): \(error)")
            return true
        }
    }

    /// Lets a moment pass: none, while the load is in line or connects; until requests have come, its own at the latest;
    /// or any short time, in which much can happen.
    private func moment(after seen: Int, _ server: LoopbackServer?, using random: inout SeededRandom) async {
        let kind = Int.random(in: 0..<4, using: &random)
        let pause = Duration.microseconds(Int.random(in: 0..<(kind == 3 ? 100_000 : 2_000), using: &random))
        do {
            if kind == 1 { try await server?.until { $0.requests > seen } }
            if kind > 0 { try await Task.sleep(for: pause) }
        } catch {
            Issue.record(error)
        }
    }
}

/// How large a storm is.
private enum Storm {
    private static let environment = ProcessInfo.processInfo.environment
    static let isAlone = environment["ALCEDO_STORM_LOADS"] != nil
    static let loads = environment["ALCEDO_STORM_LOADS"].flatMap { Int($0) } ?? 2_000
    static let seed = environment["ALCEDO_STORM_SEED"].flatMap { UInt64($0) } ?? 1

    /// Loads under way at once, of which the loader lets fewer go to the server.
    static let callers = 64
    static let width = 16
}

/// Deals out the loads of a storm and counts how they ended.
private final class Tally: Sendable, CustomStringConvertible {
    private let state = Mutex((begun: 0, finished: 0, cancelled: 0))

    /// The next load's number, nil when all have begun.
    func next(below limit: Int) -> Int? {
        state.withLock { state in
            guard state.begun < limit else { return nil }
            defer { state.begun += 1 }
            return state.begun
        }
    }

    func count(_ wasCancelled: Bool) {
        state.withLock { state in
            if wasCancelled { state.cancelled += 1 } else { state.finished += 1 }
        }
    }

    var ended: Int { state.withLock { $0.finished + $0.cancelled } }

    var description: String { state.withLock { "\($0.finished) finished, \($0.cancelled) cancelled" } }
}

/// What is loaded in a storm.
private struct Site {
    /// More than there are callers, so that no two load the same.
    static let numbers = 1_024
    /// The last two never end.
    static let faultyPaths = ["whole", "chunked", "moved", "slow", "silent", "stuck"]

    let paths: [String]
    let url: @Sendable (String) -> URL

    func resource(_ number: Int, mayHang: Bool, using random: inout SeededRandom) -> (URL, Data) {
        let number = number % Self.numbers
        let choices = mayHang ? paths.count : min(4, paths.count)
        let path = paths[Int.random(in: 0..<choices, using: &random)]
        return (url("/\(path)/\(number)"), Self.body(number))
    }

    static func body(_ number: Int) -> Data {
        Data((0..<(1 + number * 37 % 30_000)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) })
    }

    static func reply(to request: LoopbackServer.RecordedRequest) -> LoopbackServer.Reply {
        let parts = request.path.split(separator: "/")
        guard parts.count == 2, let number = Int(parts[1]) else { return .status(404) }
        let body = body(number)
        switch parts[0] {
        case "whole": return .bytes(body)
        case "chunked": return .bytes(body).chunked(4_000)
        case "moved": return .redirect(to: request.target.hasSuffix("?on") ? "../whole/\(number)" : "\(number)?on")
        case "slow": return .bytes(body).dripping(1 + body.count / 4, every: .milliseconds(1))
        case "silent": return .bytes(body).stalling(.beforeHead)
        default: return .bytes(body).stalling(.afterBytes(body.count / 2))
        }
    }
}

/// What the process holds of the system.
private struct Footprint {
    private let descriptors = Self.count("/proc/self/fd")
    private let threads = Self.count("/proc/self/task")

    /// 0 where there is no such directory.
    private static func count(_ directory: String) -> Int {
        do { return try FileManager.default.contentsOfDirectory(atPath: directory).count } catch { return 0 }
    }

    /// Waits until it holds no more again: idle threads of a pool take some seconds to end.
    func isReachedAgain() async throws {
        for _ in 0..<3_000 {
            let now = Footprint()
            if now.descriptors <= descriptors && now.threads <= threads { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("\(self) has become \(Footprint())")
    }
}
