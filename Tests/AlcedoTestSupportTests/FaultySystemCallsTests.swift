import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct FaultySystemCallsTests {
    private let calls = FaultySystemCalls()
    private let temporary: TemporaryDirectory
    private let threads = WorkerThreads("faulty system calls", count: 2)

    init() throws { temporary = try TemporaryDirectory() }

    /// Writes a file of eight bytes and returns the number of bytes that were accepted, or the `errno` below zero.
    private func write(_ name: String) async -> Int {
        await threads.run { [calls, path = temporary.file(name)] in
            let file = calls.perform(.open, on: path) { open(path, O_CREAT | O_WRONLY, 0o600) }
            guard file >= 0 else { return -Int(errno) }
            defer { calls.perform(.close, on: path) { close(file) } }
            var bytes: UInt64 = 0
            let written = calls.perform(.writev, on: path, byteCount: 8) { Foundation.write(file, &bytes, $0) }
            return written < 0 ? -Int(errno) : written
        }
    }

    @Test func call_isReal_withoutAFault() async throws {
        #expect(await write("one") == 8)
        #expect(try Data(contentsOf: URL(filePath: temporary.file("one"))).count == 8)
        #expect(calls.calls.map(\.call) == [.open, .writev, .close])
        #expect(calls.calls.allSatisfy { $0.path == temporary.file("one") })
    }

    @Test func fault_hitsItsCall_onItsPaths_untilHealed() async {
        calls.fail(.writev, on: "/one", with: ENOSPC)
        #expect(await write("one") == -Int(ENOSPC))
        #expect(await write("two") == 8)
        calls.fail(.open, with: EACCES)
        #expect(await write("two") == -Int(EACCES))
        calls.fail(.open, with: nil)
        #expect(await write("two") == 8)
        calls.heal()
        #expect(await write("one") == 8)
    }

    @Test func failOnce_hitsOneCall() async {
        #expect(await write("one") == 8)
        calls.failOnce(at: 2, with: EIO)
        #expect(await write("one") == -Int(EIO))
        #expect(await write("one") == 8)
    }

    @Test func failOnce_mayLeaveTheCallAlone() async {
        calls.failOnce(at: 2) { call, _ in call == .open ? EIO : nil }
        #expect(await write("one") == 8)
    }

    @Test func writeHalf_acceptsHalfOfTheBytes_once() async throws {
        calls.writeHalf(at: 2)
        #expect(await write("one") == 4)
        #expect(try Data(contentsOf: URL(filePath: temporary.file("one"))).count == 4)
        #expect(await write("two") == 8)
    }

    @Test func closedFile_isClosed_evenIfTheCallFails() async {
        calls.fail(.close, with: EIO)
        let (result, isClosed) = await threads.run { [calls] in
            calls.perform(.open, on: "/") { 0 }
            var isClosed = false
            let result = calls.perform(.close, on: "/") {
                isClosed = true
                return 0
            }
            return (result, isClosed)
        }
        #expect(result == -1)
        #expect(isClosed)
    }

    @Test func fileClosedTwice_endsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            await WorkerThreads("twice", count: 1).run {
                let calls = FaultySystemCalls()
                calls.perform(.open, on: "/") { 0 }
                for _ in 0..<2 { calls.perform(.close, on: "/") { 0 } }
            }
        }
    }

    @Test(arguments: [false, true]) func heldCall_waitsAtTheGate(isAfter: Bool) async throws {
        let gate = ThreadGate()
        calls.hold(.writev, on: "/one", at: gate, after: isAfter)
        async let written = write("one")
        await gate.arrivals(1)
        #expect(try Data(contentsOf: URL(filePath: temporary.file("one"))).count == (isAfter ? 8 : 0))
        #expect(await write("two") == 8)
        gate.open()
        #expect(await written == 8)
    }

    @Test func pretendedFreeBytes_replaceTheTruth_untilHealed() async throws {
        let free = { await threads.run { [calls] in try? FileSystem(calls).freeBytes(at: "/") } }
        calls.pretend(freeBytes: 12_345)
        #expect(await free() == 12_345)
        calls.heal()
        let real = try #require(await free())
        #expect(real != 12_345)
    }

    @Test func calls_areCounted_byKindAndPath() async {
        _ = await write("one")
        _ = await write("two")
        #expect(calls.count(of: .open) == 2)
        #expect(calls.count(of: .open, on: "/two") == 1)
        #expect(calls.count(of: .rename) == 0)
    }

    @Test func largestRead_isTheMostRequestedAtOnce() async {
        await threads.run { [calls] in
            for byteCount in [2, 8, 4] { _ = calls.perform(.pread, on: "/one", byteCount: byteCount) { $0 } }
        }
        #expect(calls.largestRead(of: "/one") == 8)
        #expect(calls.largestRead(of: "/two") == 0)
    }

    @Test func call_onAThreadThatMustNotBlock_ends() async {
        await #expect(processExitsWith: .failure) {
            FaultySystemCalls().perform(.unlink, on: "/nonexistent") { 0 }
        }
    }

    @Test func fatalWrite_endsTheProcess_afterHalfOfItsBytes() async {
        let result = await #expect(processExitsWith: .signal(SIGKILL)) {
            let calls = FaultySystemCalls()
            calls.killProcess(atWrite: 2, on: "fatal")
            await WorkerThreads("fatal", count: 1).run {
                for written in [8, 4] {
                    _ = calls.perform(.writev, on: "fatal", byteCount: 8) { byteCount in
                        precondition(byteCount == written)
                        return byteCount
                    }
                }
            }
        }
        #expect(result != nil)
    }
}
