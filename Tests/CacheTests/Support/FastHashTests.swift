import Alcedo
import AlcedoTestSupport
import Testing

@Suite struct FastHashTests {
    private func hash(_ bytes: [UInt8], seed: UInt64 = 1) -> UInt64 {
        bytes.withUnsafeBytes { FastHash.hash($0, seed: seed) }
    }

    /// Made by a second implementation, in Python. Hashes are stored on disk, so they must stay the same.
    @Test(
        arguments: [
            (0, 0x3D2F_D881_25A2_6B59), (1, 0xD8A9_4223_E771_6EF8), (2, 0x48ED_C6AE_1A51_DD8E),
            (3, 0x75D1_AA55_E29B_B4F3), (4, 0x581D_1542_01F2_AEAD), (5, 0xBC94_CB8A_DCBA_8BE6),
            (6, 0x40A2_D880_D73F_235B), (7, 0xD00C_8A10_5F70_8775), (8, 0x5860_3A83_09AD_5449),
            (12, 0xBD99_5375_082A_DF18), (31, 0xAEA9_FA7E_A59C_5002), (64, 0xCC30_7219_DBF7_047C),
            (100, 0xBA3B_3704_BB55_1704),
        ] as [(Int, UInt64)])
    func values_areTheSameInAllVersions(length: Int, value: UInt64) {
        #expect(hash((0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + 1) }) == value)
    }

    @Test func everyLength_hasUniqueValue() {
        let values = Set((0...300).map { hash(Array(repeating: 0, count: $0)) })
        #expect(values.count == 301)
    }

    @Test func everyBit_changesValue() {
        for length in Array(1...8) + [15, 16, 17, 63, 64, 65, 200] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            let whole = hash(bytes)
            for bit in 0..<(length * 8) {
                var changed = bytes
                changed[bit / 8] ^= 1 << (bit % 8)
                #expect(hash(changed) != whole)
            }
        }
    }

    @Test func flippedBit_flipsHalfOfValue() {
        var random = SeededRandom(seed: 3)
        var flips = 0
        for _ in 0..<2_000 {
            var bytes = (0..<80).map { _ in UInt8.random(in: 0...255, using: &random) }
            let before = hash(bytes)
            bytes[Int.random(in: 0..<80, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            flips += (before ^ hash(bytes)).nonzeroBitCount
        }
        let mean = Double(flips) / 2_000
        #expect((31...33).contains(mean))
    }

    @Test func seeds_giveUnrelatedValues() {
        #expect(hash([1, 2, 3], seed: 1) != hash([1, 2, 3], seed: 2))
        #expect(FastHash.hash("abc", seed: 5) == FastHash.hash("abc", seed: 5))
    }

    @Test func keysOfOneURL_areEqual_withoutFragment() {
        #expect(ResourceKey(text: "http://h/a") == ResourceKey(text: "http://h/a"))
        #expect(ResourceKey(text: "http://h/a#top") == ResourceKey(text: "http://h/a"))
        #expect(ResourceKey(text: "http://h/a") != ResourceKey(text: "http://h/b"))
        #expect(Set((0..<1000).map { ResourceKey(text: "http://h/\($0)") }).count == 1000)
    }
}
