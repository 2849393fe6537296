import Foundation

/// The name of a key's file: a digest, so no key can name a file outside the directory.
///
/// Its first half depends only on the source, so that the entries of one source are found by their names. Two keys with
/// the same digest are distinguished by the key stored in the file.
package struct EntryName: Hashable, Sendable {
    /// The digest of the source.
    package let source: UInt64
    /// The digest of the whole key.
    package let key: UInt64
}

extension EntryName {
    init(source: String, key: String) {
        self.init(source: Self.digest(ofSource: source), key: Self.digest(ofKey: key))
    }

    static func digest(ofKey key: String) -> UInt64 { FastHash.hash(key, seed: 3) }

    static func digest(ofSource source: String) -> UInt64 { FastHash.hash(source, seed: 2) }

    /// The number of digits in a name.
    package static let length = 32

    /// The entry name of an existing file; nil when no entry would have that name.
    package init?(fileName: String) {
        // A string may contain the null character that terminates it in C.
        guard fileName.utf8.count == Self.length, let name = fileName.withCString({ Self(digits: $0) }) else {
            return nil
        }
        self = name
    }

    /// Parses a name given as a C string.
    package init?(digits: UnsafePointer<CChar>) {
        // A shorter string is not a name, and isn't read beyond its end.
        guard strnlen(digits, Self.length + 1) == Self.length else { return nil }
        let words = UnsafeRawPointer(digits)
        var parts: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        guard Self.read(words, 0, &parts.0), Self.read(words, 8, &parts.1), Self.read(words, 16, &parts.2),
            Self.read(words, 24, &parts.3)
        else { return nil }
        self.init(source: parts.0 << 32 | parts.1, key: parts.2 << 32 | parts.3)
    }

    /// Parses 8 lower-case hexadecimal digits in parallel, because a directory may have a hundred thousand names.
    /// Returns false for any other characters.
    @inline(__always)
    private static func read(_ text: UnsafeRawPointer, _ offset: Int, _ number: inout UInt64) -> Bool {
        let word = UInt64(bigEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops = ones &* 0x80
        guard word & tops == 0 else { return false }
        // The top bit of each byte is set if the byte lies between the first and the last digit or letter.
        let isDigit = (word &+ ones &* (0x80 - 0x30)) & ~(word &+ ones &* (0x80 - 0x3A)) & tops
        let isLetter = (word &+ ones &* (0x80 - 0x61)) & ~(word &+ ones &* (0x80 - 0x67)) & tops
        guard isDigit | isLetter == tops else { return false }
        var digits = word & (ones &* 0x0F) &+ (isLetter >> 7) &* 9
        digits = (digits | digits >> 4) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits >> 8) & 0x0000_FFFF_0000_FFFF
        number = (digits | digits >> 16) & 0xFFFF_FFFF
        return true
    }

    /// 32 hexadecimal digits.
    package var text: String { text(after: "") }

    /// ``text`` after a prefix, as one string.
    func text(after prefix: String) -> String {
        var prefix = prefix
        return prefix.withUTF8 { prefix in
            String(unsafeUninitializedCapacity: prefix.count + Self.length) { buffer in
                _ = buffer.initialize(fromContentsOf: prefix)
                for (half, number) in [(0, source), (Self.length / 2, key)] {
                    for place in 0..<Self.length / 2 {
                        let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 15
                        buffer[prefix.count + half + place] = digit < 10 ? 0x30 + digit : 0x57 + digit
                    }
                }
                return prefix.count + Self.length
            }
        }
    }
}
