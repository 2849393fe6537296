import Foundation

/// A checksum of bytes. For large bodies, it takes a third of the time of copying them.
///
/// The bytes are distributed over eight accumulators, 8 bytes at a time. Each accumulator holds the sum of its words
/// and the sum of those sums, which weights a word by its position. In the latter, the upper bits of a word contribute
/// little more than whether the position is even, so the upper halves of the sums are added once more, by powers of 31.
/// Any change to one word is always detected. A change to one bit in each of two words is detected in all but one case
/// in billions, and so is a change to more bytes. It doesn't resist deliberate collisions.
struct Checksum {
    private typealias Pair = SIMD2<UInt64>

    /// Two accumulators.
    private struct Sums {
        var words: Pair
        var places: Pair

        init(_ start: Pair) { (words, places) = (start, start) }

        @inline(__always)
        mutating func add(_ word: Pair) {
            words &+= word
            places &+= words
        }
    }

    private static let stride = 128

    private var first = Sums(Pair(0x6A09_E667_F3BC_C909, 0xBB67_AE85_84CA_A73B))
    private var second = Sums(Pair(0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1))
    private var third = Sums(Pair(0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F))
    private var fourth = Sums(Pair(0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179))
    private var halves = Pair()
    private var count = 0

    /// The checksum of `bytes`. It is the same everywhere for one seed.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var checksum = Checksum()
        let rest = checksum.add(bytes)
        return checksum.value(with: rest, seed: seed)
    }

    /// The checksum of `count` bytes that are read in parts.
    ///
    /// - Parameter read: Returns the bytes from one position up to another, or fewer if they end early.
    static func of<Failure>(
        count: Int, seed: UInt64, _ read: (_ start: Int, _ end: Int) throws(Failure) -> Data
    ) throws(Failure) -> UInt64 {
        var checksum = Checksum()
        while true {
            let part = try read(checksum.count, min(count, checksum.count + partBytes))
            if checksum.count + part.count == count || part.count < partBytes {
                return part.withUnsafeBytes { bytes in
                    let rest = checksum.add(bytes)
                    return checksum.value(with: rest, seed: seed)
                }
            }
            part.withUnsafeBytes { _ = checksum.add($0) }
        }
    }

    /// A multiple of the stride.
    private static let partBytes = 1 << 20

    /// Adds all bytes except the last ones that don't fill a stride, and returns these.
    private mutating func add(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let start = bytes.baseAddress else { return bytes }
        var offset = 0
        var (first, second, third, fourth, halves) = (first, second, third, fourth, halves)
        while bytes.count - offset >= Self.stride {
            let line = start + offset
            first.add(Self.pair(line))
            second.add(Self.pair(line + 16))
            third.add(Self.pair(line + 32))
            fourth.add(Self.pair(line + 48))
            let upper = (first.words &+ second.words &+ third.words &+ fourth.words) &>> 32
            halves = (halves &<< 5) &- halves &+ upper
            first.add(Self.pair(line + 64))
            second.add(Self.pair(line + 80))
            third.add(Self.pair(line + 96))
            fourth.add(Self.pair(line + 112))
            offset += Self.stride
        }
        (self.first, self.second, self.third, self.fourth, self.halves) = (first, second, third, fourth, halves)
        count += offset
        return UnsafeRawBufferPointer(rebasing: bytes[offset...])
    }

    private func value(with rest: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let end = FastHash.hash(rest, seed: seed ^ UInt64(truncatingIfNeeded: count + rest.count))
        return withUnsafeBytes(of: (first, second, third, fourth, halves)) { FastHash.hash($0, seed: end) }
    }

    @inline(__always)
    private static func pair(_ place: UnsafeRawPointer) -> Pair {
        let words = place.loadUnaligned(as: Pair.self)
        return Pair(UInt64(littleEndian: words.x), UInt64(littleEndian: words.y))
    }
}
