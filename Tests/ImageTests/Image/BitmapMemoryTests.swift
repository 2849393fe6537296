#if os(Linux)
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct BitmapMemoryTests {
    private func isZero(_ bitmap: Bitmap, from row: Int = 0) -> Bool {
        bitmap.withBytes { bytes in
            bytes.withUnsafeBytes { isAll(0, UnsafeRawBufferPointer(rebasing: $0[(row * bitmap.bytesPerRow)...])) }
        }
    }

    private func isAll(_ value: UInt8, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return true }
        return bytes[0] == value && memcmp(start, start + 1, bytes.count - 1) == 0
    }

    private func fill(_ builder: inout BitmapBuilder, rows: Int) {
        let count = rows * builder.bytesPerRow
        builder.withBytes { bytes in
            bytes.withUnsafeMutableBytes { bytes in
                if let start = bytes.baseAddress { memset(start, 0xAB, count) }
            }
        }
    }

    /// Small and large ones, about the sizes at which memory comes from elsewhere, and the longest sides there are.
    private static let sizes = [
        (1, 1), (511, 512), (262_143 / 3, 1), (512, 512), (513, 511), (1_024, 511), (1_024, 512), (1_023, 513),
        (1_031, 1_033), (32_767, 1), (32_767, 67), (67, 32_767),
    ].map { PixelSize(width: min($0.0, 32_767), height: $0.1) }

    @Test(arguments: sizes) func oldImage_isNeverSeen(_ size: PixelSize) throws {
        for _ in 0..<4 {
            var used = try BitmapBuilder(size: size)
            fill(&used, rows: size.height)
            let bitmap = used.freeze()
            #expect(!isZero(bitmap))
        }
        #expect(isZero(try BitmapBuilder(size: size).freeze()))
    }

    @Test(arguments: sizes) func unwrittenRows_areTransparentBlack(_ size: PixelSize) throws {
        let limits = DecodeLimits()
        for rows in [0, size.height / 2, size.height] {
            do {
                var used = try BitmapBuilder(unwritten: size, limits: limits)
                fill(&used, rows: size.height)
                // Dropped, with all that it holds.
            }
            var builder = try BitmapBuilder(unwritten: size, limits: limits)
            fill(&builder, rows: rows)
            builder.wrote(rows: rows)
            let bitmap = builder.freeze()
            #expect(isZero(bitmap, from: rows))
            #expect(rows == 0 || bitmap[size.width - 1, rows - 1] == SIMD4(repeating: 0xAB))
        }
    }

    @Test func excessRows_areNotWritten() throws {
        var builder = try BitmapBuilder(unwritten: PixelSize(width: 700, height: 700), limits: DecodeLimits())
        builder.wrote(rows: .max)
        builder.wrote(rows: -1)
        #expect(builder.freeze().byteCount == 700 * 700 * 4)
    }

    @Test(arguments: [1, 4_095, 4_096, (1 << 20) - 1, 1 << 20, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 48_000_000])
    func pages_areZeroed_andAligned(_ byteCount: Int) throws {
        let length = SystemPages.length(for: byteCount)
        #expect(length >= byteCount && length - byteCount < 65_536)
        let base = try #require(SystemPages.map(length))
        #expect(isAll(0, UnsafeRawBufferPointer(start: base, count: length)))
        memset(base, 0xAB, length)
        #expect(length < 2 << 20 || UInt(bitPattern: base) % (2 << 20) == 0)
        SystemPages.unmap(base, length)
    }

    @Test func unavailableMemory_isNil() {
        for count in [1 << 62, Int.max / 2 - 1, Int.max / 2, .max - 1, .max] {
            #expect(BitmapMemory.take(count) == nil)
        }
    }

    @Test func idleMemory_isReleased_afterTwoSeconds() async throws {
        let clock = ManualClock()
        let gone = Recorder<Int>()
        let idle = IdleBitmapMemory(limit: 100, time: TimeSource(clock)) { base, length in
            gone.record(Int(bitPattern: base) + length)
        }
        func add(_ address: Int, _ length: Int) throws {
            idle.add(try #require(UnsafeMutableRawPointer(bitPattern: address)), length)
        }
        for round in 1...2 {
            try add(1_000, 10)
            try add(2_000, 20)
            try await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(1))
            try await clock.sleepers(atLeast: 1)
            #expect(idle.byteCount == 30)
            #expect(idle.take(10) == UnsafeMutableRawPointer(bitPattern: 1_000))
            clock.advance(by: .seconds(1))
            await gone.wait { $0.count >= round }
            #expect(gone.values == Array(repeating: 2_020, count: round))
            #expect(idle.byteCount == 0)
        }
    }

    @Test func deinit_releasesAll() throws {
        let gone = Recorder<Int>()
        do {
            // Nobody looks after one that is too large to wait.
            let idle = IdleBitmapMemory(limit: 100, time: TimeSource(ManualClock())) { _, length in gone.record(length)
            }
            idle.add(try #require(UnsafeMutableRawPointer(bitPattern: 4_096)), 101)
            #expect(idle.byteCount == 0)
        }
        #expect(gone.values == [101])
    }

    /// Many at once, of few sizes, so that much is taken again.
    @Test func threads_neverShareMemory() async throws {
        await withTaskGroup(of: Bool.self) { group in
            for number in 1...8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(number))
                    for _ in 0..<40 {
                        let size = PixelSize(width: 600, height: Int.random(in: 600...602, using: &random))
                        let color = SIMD4<UInt8>(repeating: UInt8(number))
                        guard let bitmap = try? Pictures.make(size.width, size.height, { _, _ in color }) else {
                            return false
                        }
                        let isOwn = bitmap.withBytes { bytes in
                            bytes.withUnsafeBytes { isAll(UInt8(number), $0) }
                        }
                        if !isOwn { return false }
                    }
                    return true
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
#endif
