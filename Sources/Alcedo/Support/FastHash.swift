import Foundation

/// A fast hash of bytes by full-width multiplication that XORs the two halves of each product, the step that wyhash and
/// its relatives are built on.
///
/// It detects damage and distributes keys. It doesn't resist deliberate collisions.
package enum FastHash {
    /// A seed that differs between processes, so colliding keys can't be prepared in advance.
    private static let processSeed = UInt64.random(in: .min ... .max)

    /// The hash of a key in memory. It differs between processes.
    static func ofProcess(_ text: String) -> UInt64 { hash(text, seed: processSeed) }

    /// The result of `find` for a key in memory, and the key's hash; nil if it finds nothing.
    @inline(__always)
    static func ofProcess<Found>(
        _ text: String, where find: (UnsafeRawBufferPointer) -> Found?
    ) -> (found: Found, hash: UInt64)? {
        // Read outside the closure, because the text would be retained while the seed is read.
        let seed = processSeed
        return withBytes(of: text) { bytes in find(bytes).map { ($0, hash(bytes, seed: seed)) } }
    }

    /// The hash of a text. It is the same everywhere for one seed.
    package static func hash(_ text: String, seed: UInt64) -> UInt64 {
        withBytes(of: text) { hash($0, seed: seed) }
    }

    /// A 128-bit digest in hexadecimal. It is the same everywhere.
    static func digest(_ text: String) -> String { withBytes(of: text) { digest($0) } }

    static func digest(_ bytes: UnsafeRawBufferPointer) -> String {
        [hash(bytes, seed: 4), hash(bytes, seed: 5)].flatMap { word in
            withUnsafeBytes(of: word.bigEndian) { Array($0) }
        }.hexadecimal
    }

    /// Whether a text contains an ASCII character. This is many times faster than searching the text as a collection.
    static func contains(_ character: UInt8, in text: String) -> Bool {
        withBytes(of: text) { contains(character, $0) }
    }

    @inline(__always)
    private static func contains(_ character: UInt8, _ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.baseAddress.map { memchr($0, Int32(character), bytes.count) != nil } ?? false
    }

    @inline(__always)
    static func withBytes<Result>(of text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        text.utf8.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
            ?? Array(text.utf8).withUnsafeBytes { body($0) }
    }

    /// The hash of `bytes`. It is the same everywhere for one seed.
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var hash = seed
        var offset = 0
        if bytes.count >= 64 {
            // Four independent accumulators keep the multiplier busy: no product waits for the previous one.
            var lanes = (seed ^ k0, seed ^ k1, seed ^ k2, seed ^ k3)
            while bytes.count - offset >= 64 {
                lanes.0 = multiply(bytes.word(at: offset) ^ k1, bytes.word(at: offset + 8) ^ lanes.0)
                lanes.1 = multiply(bytes.word(at: offset + 16) ^ k2, bytes.word(at: offset + 24) ^ lanes.1)
                lanes.2 = multiply(bytes.word(at: offset + 32) ^ k3, bytes.word(at: offset + 40) ^ lanes.2)
                lanes.3 = multiply(bytes.word(at: offset + 48) ^ k0, bytes.word(at: offset + 56) ^ lanes.3)
                offset += 64
            }
            hash = multiply(lanes.0 ^ k2, lanes.1) ^ multiply(lanes.2 ^ k0, lanes.3)
        }
        while bytes.count - offset >= 16 {
            hash = self.hash(bytes.word(at: offset), bytes.word(at: offset + 8), after: hash)
            offset += 16
        }
        var rest: (UInt64, UInt64) = (0, 0)
        if bytes.count - offset >= 8 {
            rest.0 = bytes.word(at: offset)
            offset += 8
        }
        rest.1 = bytes.lastWord(from: offset)
        hash = multiply(rest.0 ^ k2, rest.1 ^ hash)
        return multiply(hash ^ k3, UInt64(bytes.count) ^ k1)
    }

    // The fractional parts of √2, √3, √5 and √7 in binary, made odd.
    private static let k0: UInt64 = 0x6A09_E667_F3BC_C909
    private static let k1: UInt64 = 0xBB67_AE85_84CA_A73B
    private static let k2: UInt64 = 0x3C6E_F372_FE94_F82B
    private static let k3: UInt64 = 0xA54F_F53A_5F1D_36F1

    /// Extends `hash` by two words.
    @inline(__always)
    static func hash(_ first: UInt64, _ second: UInt64, after hash: UInt64) -> UInt64 {
        multiply(first ^ k1, second ^ hash)
    }

    @inline(__always)
    private static func multiply(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension UnsafeRawBufferPointer {
    /// The eight bytes at `offset`.
    @inline(__always)
    func word(at offset: Int) -> UInt64 { load(at: offset) }

    /// The bytes from `offset` to the end, which are fewer than eight, followed by zeros.
    @inline(__always)
    func lastWord(from offset: Int) -> UInt64 {
        let size = count &- offset
        if size == 0 { return 0 }
        // Loads the last eight bytes together, and removes those before `offset`.
        if count >= 8 { return word(at: count &- 8) &>> UInt64(64 &- 8 &* size) }
        // Two loads, which may overlap.
        if size >= 4 {
            let high = UInt64(load(at: count &- 4) as UInt32)
            return UInt64(load(at: offset) as UInt32) | high &<< UInt64(8 &* size &- 32)
        }
        let middle = UInt64(self[offset &+ size / 2]) &<< UInt64(size / 2 &* 8)
        return UInt64(self[offset]) | middle | UInt64(self[count &- 1]) &<< UInt64(8 &* size &- 8)
    }

    @inline(__always)
    private func load<Word: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Word {
        Word(littleEndian: loadUnaligned(fromByteOffset: offset, as: Word.self))
    }
}
