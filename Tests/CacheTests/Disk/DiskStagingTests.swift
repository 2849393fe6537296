import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What waits to be written is held in memory, and no more of it than a limit.
@Suite(.timeLimit(.minutes(1))) struct DiskStagingTests {
    private let temporary: TemporaryDirectory
    private let files = FaultySystemCalls()
    private let failures = Recorder<CacheFailure>()
    private let freed = Recorder<Int>()
    private let disk: DiskStore
    private let limit = 1000

    init() throws {
        temporary = try TemporaryDirectory()
        disk = DiskStore(
            directory: temporary.path + "/cache", byteLimit: 1 << 30, stagedByteLimit: limit, files: files
        ) { [failures] in failures.record($0) }
    }

    private func key(_ number: Int) -> StoredKey { StoredKey("http://h/\(number)") }

    /// Bytes that tell when the last reference to them is gone.
    private func body(_ count: Int) -> Data {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 7, count: count)
        return Data(
            bytesNoCopy: bytes, count: count,
            deallocator: .custom { [freed] bytes, count in
                bytes.deallocate()
                freed.record(count)
            })
    }

    private func store(_ count: Int, _ number: Int) async {
        await disk.store(body(count), for: key(number), begun: disk.ticket())
    }

    /// A writer that stands still with a write of `count` bytes under way.
    private func heldLane(_ count: Int) async -> ThreadGate {
        // The first use writes an index file too.
        await disk.settle()
        let gate = ThreadGate()
        files.hold(.writev, on: "/temporary/", at: gate)
        await store(count, 0)
        await gate.arrivals(1)
        return gate
    }

    @Test func aboveLimit_bodyIsNotTaken_andFailureSaysSo() async {
        let gate = await heldLane(400)
        await store(600, 1)
        #expect(failures.values.isEmpty)
        await store(1, 2)
        #expect(failures.values.map(\.operation) == [.write])
        #expect(failures.values.first?.reason.contains("1000 bytes") == true)
        #expect(await disk.body(for: key(2)) == nil)
        gate.open()
        await disk.flush()
        await store(1000, 2)
        await disk.flush()
        #expect(await disk.body(for: key(2))?.count == 1000)
        #expect(failures.values.count == 1)
    }

    @Test func bodyLargerThanLimit_isTakenWhenNothingWaits() async {
        await store(5000, 0)
        await disk.flush()
        #expect(await disk.body(for: key(0))?.count == 5000)
        #expect(failures.values.isEmpty)
        let gate = await heldLane(1)
        await store(5000, 1)
        #expect(failures.values.map(\.operation) == [.write])
        gate.open()
        await disk.flush()
    }

    @Test func rewritesOfOneKey_holdLastOnly_andOneRunning() async {
        let gate = await heldLane(300)
        for _ in 0..<200 { await store(300, 1) }
        #expect(freed.values.count == 199)
        for _ in 0..<200 { await store(300, 0) }
        #expect(freed.values.count == 398)
        #expect(failures.values.isEmpty)
        // 300 under way, 300 for each key: the bytes under way count although a newer body has taken their place.
        await store(200, 2)
        #expect(failures.values.map(\.operation) == [.write])
        let writes = files.count(of: .writev, on: "/temporary/")
        gate.open()
        await disk.flush()
        #expect(
            files.count(of: .writev, on: "/temporary/") == writes + 2, "what nobody wants any more is not written")
        for number in 0...1 { #expect(await disk.body(for: key(number))?.count == 300) }
    }

    @Test func rejectedRewrite_leavesStagedBody() async {
        let gate = await heldLane(500)
        await store(400, 1)
        await store(501, 1)
        #expect(failures.values.map(\.operation) == [.write])
        #expect(await disk.body(for: key(1))?.count == 400)
        gate.open()
        await disk.flush()
        #expect(await disk.body(for: key(1))?.count == 400)
    }

    @Test func removedBodies_areGivenUpAtOnce() async throws {
        let gate = await heldLane(100)
        await store(900, 1)
        async let removed: Void = disk.remove(key(1))
        await freed.wait { $0.count == 1 }
        await store(900, 2)
        #expect(failures.values.isEmpty)
        async let allRemoved: Void = disk.removeAll()
        await freed.wait { $0.count == 2 }
        gate.open()
        await removed
        await allRemoved
        #expect(files.count(of: .rename, on: "/entries/") == 1)
        await disk.flush()
        #expect(freed.values.reduce(0, +) == 1900)
        #expect(try temporary.names(in: "cache/entries").isEmpty)
    }

    @Test func stagingLimit_applies_beforeOpening() async {
        let gate = ThreadGate()
        files.hold(.opendir, on: "/entries", at: gate)
        files.fail(.opendir, on: "/entries", with: EIO)
        for number in 0..<20 { await store(100, number) }
        for _ in 0..<20 { await store(100, 0) }
        #expect(failures.values.map(\.operation) == Array(repeating: .write, count: 10))
        gate.open()
        await disk.flush()
        #expect(failures.values.count == 11)
        #expect(failures.values.last?.operation == .open)
        #expect(freed.values.count == 40)
        #expect(await disk.body(for: key(0)) == nil)
        await disk.flush()
        files.fail(.opendir, on: "/entries", with: nil)
        await store(1000, 0)
        await disk.flush()
        #expect(await disk.body(for: key(0))?.count == 1000)
    }

    @Test func removeAllDuringOpening_keepsLaterStores() async {
        let (listing, writing) = (ThreadGate(), ThreadGate())
        files.hold(.opendir, on: "/entries", at: listing)
        files.hold(.writev, on: "/temporary/", at: writing)
        files.fail(.opendir, on: "/entries", with: EIO)
        await store(100, 0)
        await listing.arrivals(1)
        files.fail(.opendir, on: "/entries", with: nil)
        async let removed: Void = disk.removeAll()
        await freed.wait { $0.count == 1 }
        await store(200, 1)
        listing.open()
        await failures.wait { !$0.isEmpty }
        #expect(await disk.body(for: key(1))?.count == 200)
        writing.open()
        await removed
        await disk.flush()
        #expect(await disk.body(for: key(1))?.count == 200)
        #expect(files.count(of: .rename, on: "/entries/") == 1)
    }
}
