/// The named parts that Samsung's phones append to a file, with a directory at the very end.
enum SamsungTrailer {
    private static let mostParts = 100

    /// The content of the part with this name.
    static func part(_ name: StaticString, in bytes: Span<UInt8>) -> Range<Int>? {
        // The file ends with the length of the directory and a marker.
        guard bytes.has("SEFT", at: bytes.count - 4), let length = bytes.littleLong(at: bytes.count - 8) else {
            return nil
        }
        let directory = bytes.count - 8 - length
        guard bytes.has("SEFH", at: directory), let count = bytes.littleLong(at: directory + 8) else { return nil }
        for index in 0..<min(count, mostParts) {
            // A number that names the kind (4), the distance from the directory (4), the length (4).
            let entry = directory + 12 + index * 12
            guard let distance = bytes.littleLong(at: entry + 4), let length = bytes.littleLong(at: entry + 8) else {
                return nil
            }
            // The number again (4), the length of the name (4), the name, the content.
            let part = directory - distance
            guard length <= distance, bytes.littleLong(at: part + 4) == name.utf8CodeUnitCount,
                bytes.has(name, at: part + 8), length >= 8 + name.utf8CodeUnitCount
            else { continue }
            return part + 8 + name.utf8CodeUnitCount..<part + length
        }
        return nil
    }
}
