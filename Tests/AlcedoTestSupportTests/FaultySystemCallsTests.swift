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
            let file = calls.open(path, O_CREAT | O_WRONLY, 0o600)
            guard file >= 0 else { return -Int(errno) }
            defer { _ = calls.close(file) }
            var bytes: UInt64 = 0
            return withUnsafeMutableBytes(of: &bytes) { bytes in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: 8)
                let written = calls.writev(file, &part, 1)
                return written < 0 ? -Int(errno) : written
            }
        }
    }

    private func status(_ name: String) async -> (blocks: Int, freeBytes: Int) {
        await threads.run { [calls, path = temporary.file(name)] in
            var status = stat()
            let file = calls.open(path, O_RDONLY, 0)
            _ = calls.fstat(file, &status)
            _ = calls.close(file)
            var volume = statvfs()
            _ = calls.statvfs(path, &volume)
            return (Int(status.st_blocks), Int(volume.f_bavail) * Int(volume.f_frsize))
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
        #expect(await write("one") == 8)
        let file = await threads.run { [calls, path = temporary.file("one")] in
            let file = calls.open(path, O_RDONLY, 0)
            return (calls.close(file), fcntl(file, F_GETFD))
        }
        #expect(file.0 == -1)
        #expect(file.1 == -1)
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

    @Test func pretendedFreeBytes_replaceTheTruth_untilHealed() async {
        #expect(await write("one") == 8)
        calls.pretend(freeBytes: 12_345)
        #expect(await status("one").freeBytes == 12_345)
        calls.heal()
        #expect(await status("one").freeBytes != 12_345)
    }

    @Test func pretendedGrowth_concernsTemporaryFiles() async throws {
        let folder = URL(filePath: temporary.file("temporary"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["one", "temporary/one"] { try Data(count: 4096).write(to: URL(filePath: temporary.file(name))) }
        let blocks = await status("temporary/one").blocks
        calls.pretendGrowth()
        #expect(await status("temporary/one").blocks == 2 * blocks)
        #expect(await status("temporary/one").blocks == 4 * blocks)
        #expect(await status("one").blocks == blocks)
        calls.heal()
        #expect(await status("temporary/one").blocks == blocks)
    }

    @Test func calls_areCounted_byKindAndPath() async {
        _ = await write("one")
        _ = await write("two")
        #expect(calls.count(of: .open) == 2)
        #expect(calls.count(of: .open, on: "/two") == 1)
        #expect(calls.count(of: .rename) == 0)
    }

    @Test func largestRead_isTheMostRequestedAtOnce() async {
        _ = await write("one")
        await threads.run { [calls, path = temporary.file("one")] in
            let file = calls.open(path, O_RDONLY, 0)
            var bytes = [UInt8](repeating: 0, count: 8)
            _ = calls.pread(file, &bytes, 8, 0)
            _ = calls.pread(file, &bytes, 2, 6)
            _ = calls.close(file)
        }
        #expect(calls.largestRead(of: "/one") == 8)
        #expect(calls.largestRead(of: "/two") == 0)
    }

    @Test func call_onAThreadThatMustNotBlock_ends() async {
        await #expect(processExitsWith: .failure) {
            _ = FaultySystemCalls().unlink("/nonexistent")
        }
    }

    @Test func fatalWrite_endsTheProcess_afterHalfOfItsBytes() async {
        let result = await #expect(processExitsWith: .signal(SIGKILL)) {
            let calls = FaultySystemCalls()
            calls.killProcess(atWrite: 2, on: "fatal")
            let path = NSTemporaryDirectory() + "/fatal-\(getpid())"
            await WorkerThreads("fatal", count: 1).run {
                let file = calls.open(path, O_CREAT | O_RDWR, 0o600)
                // Nothing of it remains.
                unlink(path)
                var bytes: UInt64 = 0
                withUnsafeMutableBytes(of: &bytes) { bytes in
                    var part = iovec(iov_base: bytes.baseAddress, iov_len: 8)
                    _ = calls.writev(file, &part, 1)
                    _ = calls.writev(file, &part, 1)
                }
            }
        }
        #expect(result != nil)
    }
}
