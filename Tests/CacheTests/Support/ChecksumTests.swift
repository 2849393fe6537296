import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

@Suite struct ChecksumTests {
    private let bytes: [UInt8]
    private let whole: UInt64

    init() {
        var random = SeededRandom(seed: 1)
        bytes = (0..<2_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        whole = Self.checksum(bytes)
    }

    private static func checksum(_ bytes: [UInt8], seed: UInt64 = 1) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.of($0, seed: seed) }
    }

    @Test func checksum_isStable() {
        // Another value here would make every cache that is out there one of damaged files.
        #expect(Self.checksum(Array("The quick brown fox jumps over the lazy dog".utf8)) == 7_834_522_374_365_619_572)
        #expect(Self.checksum((0..<1_000).map { UInt8(truncatingIfNeeded: $0) }) == 16_548_983_403_861_244_699)
        #expect(Self.checksum([]) == 16_646_961_782_615_235_109)
    }

    @Test func seed_makesAnother() { #expect(Self.checksum(bytes, seed: 2) != whole) }

    @Test func alignment_doesNotMatter() {
        let moved = [0] + bytes
        #expect(moved.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[1...]), seed: 1) } == whole)
    }

    @Test func anyBitFlipped_isNoticed() {
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            if Self.checksum(damaged) == whole { Issue.record("bit \(bit)") }
        }
    }

    @Test func wrongLength_isNoticed() {
        for length in 0..<bytes.count where Self.checksum(Array(bytes.prefix(length))) == whole {
            Issue.record("\(length) bytes")
        }
        let zeros = [UInt8](repeating: 0, count: 600)
        #expect(Set((0...600).map { Self.checksum(Array(zeros.prefix($0))) }).count == 601)
    }

    /// As a memory cell or a line of a bus that is stuck would: sums alone do not see the upper bits of two words.
    @Test func bitFlippedInTwoWords_isNoticed() {
        for bit in 0..<64 {
            for first in stride(from: 0, to: 1_900, by: 88) {
                for distance in stride(from: 8, through: 1_024, by: 8) where first + distance + 8 <= 1_920 {
                    var damaged = bytes
                    damaged[first + bit / 8] ^= 1 << (bit % 8)
                    damaged[first + distance + bit / 8] ^= 1 << (bit % 8)
                    if Self.checksum(damaged) == whole { Issue.record("bit \(bit) at \(first) and \(distance) on") }
                }
            }
        }
    }

    @Test func swappedParts_areNoticed() {
        for part in [8, 16, 64, 128, 256] {
            var damaged = bytes
            for offset in 0..<part { damaged.swapAt(offset, 1_024 + offset) }
            #expect(Self.checksum(damaged) != whole)
        }
    }

    @Test func partSetToZero_isNoticed() {
        for start in stride(from: 0, to: 1_900, by: 64) {
            var damaged = bytes
            for offset in start..<start + 64 { damaged[offset] = 0 }
            #expect(Self.checksum(damaged) != whole)
        }
    }
}
