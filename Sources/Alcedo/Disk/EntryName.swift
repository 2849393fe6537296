/// The name of a key's file: a digest, so no key reaches outside the directory.
///
/// Two keys of one digest are told apart by the key that stands in the file.
package struct EntryName: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    package init(_ key: ResourceKey) {
        high = Fold.fold(key.text, seed: 2)
        low = Fold.fold(key.text, seed: 3)
    }

    /// The name of a file that is there, nil when no entry would be called so.
    package init?(fileName: String) {
        let digits = fileName.utf8
        let isPlain = digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard digits.count == 32, isPlain, let high = UInt64(fileName.prefix(16), radix: 16),
            let low = UInt64(fileName.suffix(16), radix: 16)
        else { return nil }
        self.high = high
        self.low = low
    }

    /// 32 hexadecimal digits.
    package var text: String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            for (half, number) in [(0, high), (16, low)] {
                for place in 0..<16 {
                    let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 15
                    buffer[half + place] = digit < 10 ? 0x30 + digit : 0x57 + digit
                }
            }
            return 32
        }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(low) }
}
