import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

/// What was put in the place of a store's own files while it is open: nothing is followed, and the store goes on.
@Suite(.timeLimit(.minutes(1))) struct DiskHealingTests {
    private let temporary: TemporaryDirectory
    private let files = FaultySystemCalls()
    private let failures = Recorder<CacheFailure>()
    private let body = Data("some bytes".utf8)
    private let block = 4096

    init() throws { temporary = try TemporaryDirectory() }

    private func makeStore(_ name: String = "cache", byteLimit: Int = 1 << 20) -> DiskStore {
        DiskStore(directory: temporary.file(name), byteLimit: byteLimit, files: files) { [failures] in
            failures.record($0)
        }
    }

    private func key(_ number: Int) -> DiskKey { DiskKey("http://h/\(number)") }

    private func store(_ numbers: Range<Int>, in store: DiskStore) async {
        for number in numbers { await store.store(body, for: key(number), begun: store.ticket()) }
        await store.flush()
    }

    private func names(_ directory: String = "cache/entries") throws -> Set<String> {
        try Set(temporary.names(in: directory))
    }

    private func names(of numbers: Range<Int>) -> Set<String> { Set(numbers.map { key($0).name.text }) }

    private func path(_ number: Int) -> String { temporary.file("cache/entries/" + key(number).name.text) }

    private func move(_ path: String, to newPath: String) {
        #expect(rename(temporary.file(path), temporary.file(newPath)) == 0)
    }

    private func makeDirectory(_ path: String) { #expect(mkdir(path, 0o700) == 0) }

    private func kind(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(temporary.file(path), &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    // MARK: Another directory

    @Test func theDirectoryMovedAway_andAnEmptyOneInItsPlace_isTakenInAnew() async throws {
        let disk = makeStore()
        await store(0..<2, in: disk)
        await disk.settle()
        move("cache", to: "moved")
        makeDirectory(temporary.file("cache"))
        let index = try Data(contentsOf: temporary.url.appendingPathComponent("moved/index"))
        await store(2..<3, in: disk)
        await disk.settle()
        #expect(try names() == names(of: 2..<3))
        #expect(try Data(contentsOf: temporary.url.appendingPathComponent("moved/index")) == index)
        for disk in [disk, makeStore()] {
            #expect(await disk.statistics.entryCount == 1)
            #expect(await disk.body(for: key(2)) == body)
            #expect(await disk.body(for: key(0)) == nil)
        }
        #expect(failures.values.isEmpty, "\(failures.values)")
    }

    @Test func theDirectoryMovedAway_andAFullOneInItsPlace_keepsTheLimit() async throws {
        let other = makeStore("other")
        await store(10..<13, in: other)
        await other.settle()
        let disk = makeStore(byteLimit: 4 * block)
        await store(0..<4, in: disk)
        await disk.settle()
        move("cache", to: "moved")
        move("other", to: "cache")
        // As the upkeep does, once a second.
        await disk.caughtUp()
        await disk.settle()
        #expect(await disk.statistics.entryCount == 3)
        #expect(await disk.body(for: key(10)) == body)
        await store(20..<22, in: disk)
        await disk.settle()
        #expect(try names().count == 4)
        #expect(try names("moved/entries") == names(of: 0..<4))
        #expect(await disk.statistics.entryCount == 4)
        #expect(failures.values.isEmpty, "\(failures.values)")
    }
}
