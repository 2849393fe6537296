import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// A process that is killed at any moment leaves a directory that can be trusted.
@Suite(.timeLimit(.minutes(30))) struct DiskCrashTests {
    private static let rounds = ProcessInfo.processInfo.environment["ALCEDO_CRASH_ROUNDS"].flatMap { Int($0) } ?? 40

    @Test func afterAKill_entriesAreWhole_theLimitHolds_andNothingFlushedIsMissing() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var draws = SeededRandom(seed: seed)
        let rounds = (0..<Self.rounds).map { _ in (draws.next(), Int.random(in: 1...2_500, using: &draws)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Two at a time: as many as there are cores where this is run most.
            for (number, round) in rounds.enumerated() {
                if number >= 2 { try await group.next() }
                group.addTask { try await Self.round(seed: round.0, killAt: round.1) }
            }
            try await group.waitForAll()
        }
    }

    private static func round(seed: UInt64, killAt: Int) async throws {
        let temporary = try TemporaryDirectory()
        let comment = Comment("seed \(seed), killed at call \(killAt)")
        await #expect(processExitsWith: .signal(SIGKILL), comment) {
            [path = temporary.path as String, seed = seed as UInt64, killAt = killAt as Int] in
            let calls = FaultySystemCalls()
            calls.killProcess(at: killAt)
            await CrashScript(seed: seed).run(in: path, calls)
            kill(getpid(), SIGKILL)
        }
        try await CrashScript(seed: seed).check(temporary, comment)
    }
}

/// What a process does until it is killed, and what must be there afterwards; the same for one seed.
struct CrashScript {
    enum Step {
        case store(key: Int, bytes: Int)
        case remove(key: Int)
        case use(key: Int)
        case updateMetadata(key: Int)
        case removeAll
        case flush
    }

    static let block = 4096
    static let byteLimit = 24 * block

    let steps: [Step]

    init(seed: UInt64) {
        var draws = SeededRandom(seed: seed)
        steps = (0..<200).map { number in
            let key = Int.random(in: 0..<12, using: &draws)
            switch Int.random(in: 0..<40, using: &draws) {
            case 0..<22: return .store(key: key, bytes: Int.random(in: 0..<20_000, using: &draws))
            case 22..<27: return .remove(key: key)
            case 27..<31: return .use(key: key)
            case 31..<33: return .updateMetadata(key: key)
            case 33 where number > 100: return .removeAll
            default: return .flush
            }
        }
    }

    static func key(_ number: Int) -> DiskKey { DiskKey("http://h/\(number)") }

    /// Bytes that no other step stores.
    static func body(step: Int, bytes: Int) -> Data {
        var draws = SeededRandom(seed: UInt64(step))
        return Data((0..<bytes).map { _ in UInt8(truncatingIfNeeded: draws.next()) })
    }

    private static func metadata(_ key: DiskKey) -> EntryMetadata { EntryMetadata(source: key.source) }

    private static func store(in path: String, _ calls: any SystemCalls = PosixSystemCalls()) -> DiskStore {
        DiskStore(DiskSettings(directory: path + "/cache", byteLimit: byteLimit), calls: calls)
    }

    // MARK: In the process that is killed

    func run(in path: String, _ calls: any SystemCalls) async {
        let store = Self.store(in: path, calls)
        // Before the directory is opened, uses are not counted.
        _ = await store.statistics
        let progress = open(path + "/flushed", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        for (number, step) in steps.enumerated() {
            switch step {
            case .store(let key, let bytes):
                let key = Self.key(key)
                let body = Self.body(step: number, bytes: bytes)
                await store.store(body, Self.metadata(key), for: key, begun: store.ticket())
            case .remove(let key): await store.remove(Self.key(key))
            case .use(let key): _ = await store.entry(for: Self.key(key))
            case .updateMetadata(let key):
                // Of what waits to be written, the metadata would be changed before that.
                await store.flush()
                await store.update(Self.metadata(Self.key(key)), for: Self.key(key))
                await store.flush()
            case .removeAll: await store.removeAll()
            case .flush:
                await store.flush()
                var line = UInt8(truncatingIfNeeded: number)
                write(progress, &line, 1)
            }
        }
    }

    // MARK: Afterwards

    func check(_ temporary: TemporaryDirectory, _ comment: Comment) async throws {
        let flushed: Data
        do {
            flushed = try Data(contentsOf: temporary.url.appendingPathComponent("flushed"))
        } catch {
            // It was killed before it began.
            flushed = Data()
        }
        let failures = Recorder<CacheFailure>()
        let store = DiskStore(
            DiskSettings(directory: temporary.path + "/cache", byteLimit: Self.byteLimit),
            onFailure: { failures.record($0) })
        _ = await store.statistics
        await store.flush()
        var kept: [Int: Data] = [:]
        for key in 0..<12 { kept[key] = await store.entry(for: Self.key(key))?.body }
        for (key, body) in kept {
            #expect(stored(under: key).contains(body), "\(key) has other bytes; \(comment)")
        }
        let verified = await store.verify()
        #expect(verified.damaged.isEmpty, comment)
        #expect(failures.values.isEmpty, comment)
        #expect(try temporary.names(in: "cache/temporary").isEmpty, comment)
        let files = try temporary.names(in: "cache/entries")
        let bytes = files.map { name -> Int in
            var status = stat()
            return stat(temporary.file("cache/entries/" + name), &status) == 0 ? Int(status.st_blocks) * 512 : 0
        }
        #expect(bytes.reduce(0, +) <= Self.byteLimit, comment)
        let statistics = await store.statistics
        #expect(statistics.byteCount >= bytes.reduce(0, +), "files are not counted; \(comment)")
        for (key, body) in mustBeThere(afterFlushAt: flushed.last.map(Int.init)) {
            #expect(kept[key] == body, "\(key) is missing; \(comment)")
        }
    }

    private func stored(under wanted: Int) -> [Data] {
        steps.enumerated().compactMap { number, step in
            if case .store(wanted, let bytes) = step { Self.body(step: number, bytes: bytes) } else { nil }
        }
    }

    /// What was there at a flush and in every state up to the next one, by a model of its own.
    private func mustBeThere(afterFlushAt flush: Int?) -> [Int: Data] {
        guard let flush else { return [:] }
        var model: [(key: Int, step: Int, length: Int)] = []
        var sure: [(key: Int, step: Int)]?
        for (number, step) in steps.enumerated() {
            apply(step, number, to: &model)
            if number == flush { sure = model.map { ($0.key, $0.step) } }
            guard number > flush else { continue }
            if case .flush = step { break }
            sure?.removeAll { sure in !model.contains { $0.key == sure.key && $0.step == sure.step } }
            // A write or an update of it may be under way when the process is killed.
            if case .updateMetadata(let key) = step { sure?.removeAll { $0.key == key } }
        }
        var bodies: [Int: Data] = [:]
        for (key, step) in sure ?? [] {
            if case .store(_, let bytes) = steps[step] { bodies[key] = Self.body(step: step, bytes: bytes) }
        }
        return bodies
    }

    private func apply(_ step: Step, _ number: Int, to model: inout [(key: Int, step: Int, length: Int)]) {
        switch step {
        case .store(let key, let bytes):
            model.removeAll { $0.key == key }
            let name = Self.key(key)
            let length = bytes + Self.tailLength(name)
            makeRoom(for: Self.blocks(length), in: &model)
            model.append((key, number, length))
        case .remove(let key): model.removeAll { $0.key == key }
        case .use(let key):
            if let place = model.firstIndex(where: { $0.key == key }) { model.append(model.remove(at: place)) }
        case .updateMetadata(let key):
            guard let place = model.firstIndex(where: { $0.key == key }) else { return }
            // Room is made for all that it may take, and what is not needed is given back.
            var entry = model.remove(at: place)
            makeRoom(for: Self.blocks(entry.length) + Self.block, in: &model)
            entry.length += Self.tailLength(Self.key(key))
            model.append(entry)
        case .removeAll: model = []
        case .flush: break
        }
    }

    private static func tailLength(_ key: DiskKey) -> Int {
        key.text.utf8.count + metadata(key).encoded.count + EntryFile.trailerLength
    }

    private static func blocks(_ length: Int) -> Int { (length + block - 1) / block * block }

    private func makeRoom(for bytes: Int, in model: inout [(key: Int, step: Int, length: Int)]) {
        while model.reduce(0, { $0 + Self.blocks($1.length) }) > Self.byteLimit - bytes, !model.isEmpty {
            model.removeFirst()
        }
    }
}
