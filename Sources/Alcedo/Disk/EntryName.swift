/// The name of a key's file: a digest, so no key reaches outside the directory.
///
/// Its first half is of the source alone, so that the entries of one source are known by their names. Two keys of one
/// digest are told apart by the key that stands in the file.
package struct EntryName: Hashable, Sendable {
    /// The digest of the source.
    package let source: UInt64
    /// The digest of the whole key.
    package let key: UInt64

    package init(source: UInt64, key: UInt64) {
        self.source = source
        self.key = key
    }

    init(source: String, key: String) {
        self.init(source: Self.digest(ofSource: source), key: Self.digest(ofKey: key))
    }

    static func digest(ofKey key: String) -> UInt64 { Fold.fold(key, seed: 3) }

    static func digest(ofSource source: String) -> UInt64 { Fold.fold(source, seed: 2) }

    /// Digits of a name.
    package static let length = 32

    /// The name of a file that is there, nil when no entry would be called so.
    package init?(fileName: String) {
        // What C takes for its end may stand within a text.
        guard fileName.utf8.count == Self.length, let name = fileName.withCString({ Self(digits: $0) }) else {
            return nil
        }
        self = name
    }

    /// The name in C's form.
    package init?(digits: UnsafePointer<CChar>) {
        guard let source = Self.number(digits), let key = Self.number(digits + Self.length / 2),
            digits[Self.length] == 0
        else { return nil }
        self.init(source: source, key: key)
    }

    /// The number that 16 lower-case hexadecimal digits spell. What ends before is no number, and is not read beyond.
    private static func number(_ digits: UnsafePointer<CChar>) -> UInt64? {
        var number: UInt64 = 0
        for place in 0..<length / 2 {
            let digit = UInt8(bitPattern: digits[place])
            switch digit {
            case 0x30...0x39: number = number << 4 | UInt64(digit - 0x30)
            case 0x61...0x66: number = number << 4 | UInt64(digit - 0x57)
            default: return nil
            }
        }
        return number
    }

    /// 32 hexadecimal digits.
    package var text: String { text(after: "") }

    /// ``text`` behind a prefix, as one string.
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

    /// For tables in memory: all of both halves, spread.
    var fold: UInt64 { key ^ source &* 0x9E37_79B9_7F4A_7C15 }

    package func hash(into hasher: inout Hasher) { hasher.combine(fold) }
}
