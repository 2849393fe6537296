import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What a process does until it is killed, and what must be there afterwards; the same for one seed.
struct CrashScript {
    /// Whether another process writes to the directory, to other keys.
    enum Company: String {
        case none
        /// Each evicts entries of the other.
        case tight
        /// There is room for all of both.
        case roomy
    }

    struct Store {
        let key: Int
        let bytes: Int
        /// Seconds after ``start``.
        let expires: Int64?
        let tag: Int
        /// Whether too little is free until something else goes.
        let isLowOnSpace: Bool
    }

    enum Step {
        case store(Store)
        case remove(key: Int)
        case removeTag(Int)
        case removeExpired
        case use(key: Int)
        case updateMetadata(key: Int)
        case removeAll
        case flush
    }

    static let block = 4096
    static let floor = 8 * block
    /// Bytes that are missing when space is low.
    static let missing = 3 * block
    /// Of the clock; each step takes a second.
    static let start: Int64 = 1_000_000_000
    static let stepCount = 200

    let company: Company
    let process: Int
    let steps: [Step]

    var byteLimit: Int { company == .roomy ? 1 << 30 : 24 * Self.block }
    var keys: [Int] { Array(process * 100..<process * 100 + 12) }
    /// Where it tells of its flushes.
    var progress: String { "flushed-\(process)" }

    init(seed: UInt64, company: Company, process: Int) {
        self.company = company
        self.process = process
        var draws = SeededRandom(seed: seed &+ UInt64(process))
        steps = (0..<Self.stepCount).map { number in
            let key = process * 100 + Int.random(in: 0..<12, using: &draws)
            let kind = Int.random(in: 0..<40, using: &draws)
            switch kind {
            case 0..<22:
                let expires = Int.random(in: 0..<4, using: &draws) == 0
                return .store(
                    Store(
                        key: key, bytes: Int.random(in: 0..<20_000, using: &draws),
                        expires: expires ? Int64(number + Int.random(in: 1...150, using: &draws)) : nil,
                        tag: process * 100 + Int.random(in: 0..<3, using: &draws),
                        // What goes would be the other's otherwise.
                        isLowOnSpace: kind < 3 && company != .roomy))
            case 22..<26: return .remove(key: key)
            case 26 where number % 3 == 0: return .removeTag(process * 100 + number % 9 / 3)
            case 27: return .removeExpired
            case 28..<31: return .use(key: key)
            case 31..<33: return .updateMetadata(key: key)
            case 33 where number > 100 && company == .none: return .removeAll
            default: return .flush
            }
        }
    }

    static func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    static func tag(_ number: Int) -> String { "t\(number)" }

    /// Bytes that no other step stores, when they are more than a few.
    func body(_ store: Store, step: Int) -> Data {
        var draws = SeededRandom(seed: UInt64(1_000 * process + step))
        var body = Data(count: store.bytes)
        body.withUnsafeMutableBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 8) {
                withUnsafeBytes(of: draws.next()) { word in
                    let count = min(8, bytes.count - start)
                    bytes[start..<start + count].copyBytes(from: word.prefix(count))
                }
            }
        }
        return body
    }

    func metadata(_ store: Store) -> EntryMetadata {
        var metadata = EntryMetadata(source: Self.key(store.key).source)
        metadata.tags = [Self.tag(store.tag)]
        return metadata
    }

    /// The last store of a key before a step: new metadata say what that one's did.
    func lastStore(of key: Int, before number: Int) -> Store? {
        for step in steps.prefix(number).reversed() {
            if case .store(let store) = step, store.key == key { return store }
        }
        return nil
    }

    // MARK: In the process that is killed

    private func store(in path: String, _ calls: FaultySystemCalls, _ step: Recorder<Int>) -> DiskStore {
        var settings = DiskStore.Settings.bare(path + "/cache", byteLimit: byteLimit)
        settings.minimumFreeBytes = Self.floor
        return DiskStore(
            valid: settings, calls: calls, time: TimeSource { Self.start + Int64(step.values.last ?? 0) },
            onEvent: {
                // Entries that were removed have made room.
                if case .failed = $0 { return }
                calls.pretend(freeBytes: nil)
            })
    }

    func run(in path: String, _ calls: FaultySystemCalls) async {
        let current = Recorder<Int>()
        let disk = store(in: path, calls, current)
        // Before the directory is opened, uses are not counted.
        _ = await disk.statistics
        let progress = open(path + "/" + progress, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        for (number, step) in steps.enumerated() {
            current.record(number)
            switch step {
            case .store(let store): await run(store, step: number, in: disk, calls)
            case .remove(let key): await disk.remove(Self.key(key))
            case .removeTag(let tag): _ = await disk.remove(.tag(Self.tag(tag)))
            case .removeExpired: _ = await disk.remove(.expired)
            case .use(let key): _ = await disk.entry(for: Self.key(key))
            case .updateMetadata(let key):
                guard let last = lastStore(of: key, before: number) else { continue }
                // Of what waits to be written, the metadata would be changed before that.
                await disk.flush()
                await disk.update(metadata(last), for: Self.key(key), expires: last.expires.map { Self.start + $0 })
                await disk.flush()
            case .removeAll: await disk.removeAll()
            case .flush:
                await disk.flush()
                var line = UInt8(truncatingIfNeeded: number)
                write(progress, &line, 1)
            }
        }
    }

    /// A body as a download has received it: a large one lies in a file, unless that can't be written.
    private func received(_ store: Store, step: Int, in disk: DiskStore) async -> Body {
        let body = body(store, step: step)
        let threads = WorkerThreads("received", count: 1)
        return await threads.run {
            do throws(FileError) {
                if body.count <= 10_000 { return .memory(body) }
                let file = try disk.bodyPlace(above: 10_000).makeFile()
                try body.withUnsafeBytes { bytes in Result { () throws(FileError) in try file.append(bytes) } }.get()
                return .file(file)
            } catch {
                return .memory(body)
            }
        }
    }

    private func run(_ store: Store, step: Int, in disk: DiskStore, _ calls: FaultySystemCalls) async {
        if store.isLowOnSpace {
            await disk.flush()
            calls.pretend(freeBytes: Self.floor - Self.missing)
        }
        await disk.store(
            await received(store, step: step, in: disk), metadata(store), for: Self.key(store.key),
            expires: store.expires.map { Self.start + $0 }, begun: disk.ticket())
        // A larger file counts until it is replaced, so that more may have to go than the model knows.
        if company == .none, let last = lastStore(of: store.key, before: step), last.bytes > store.bytes {
            await disk.flush()
        }
        if store.isLowOnSpace {
            await disk.flush()
            calls.pretend(freeBytes: nil)
        }
    }
}
