extension Orientation {
    /// Reads the orientation from a block of EXIF data, which is a TIFF file (EXIF 2.32, section 4.5).
    ///
    /// A damaged block, or one without an orientation, means ``up``: a bad camera tag is no reason to reject a picture.
    init(exif bytes: Span<UInt8>) { self = Self.tag(in: bytes) ?? .up }

    private static func tag(in bytes: Span<UInt8>) -> Orientation? {
        let littleEndian = bytes.has("II*\0", at: 0)
        guard littleEndian || bytes.has("MM\0*", at: 0) else { return nil }
        func word(at offset: Int) -> Int? { littleEndian ? bytes.littleWord(at: offset) : bytes.word(at: offset) }
        func long(at offset: Int) -> Int? { littleEndian ? bytes.littleLong(at: offset) : bytes.long(at: offset) }
        guard let directory = long(at: 4), let entries = word(at: directory) else { return nil }
        for entry in 0..<entries {
            // Tag, type, count, value: 2 + 2 + 4 + 4 bytes. The entry count is only a claim; reading stops where the
            // bytes end.
            let offset = directory + 2 + entry * 12
            guard let tag = word(at: offset) else { return nil }
            guard tag == 0x0112 else { continue }
            guard word(at: offset + 2) == 3, long(at: offset + 4) == 1, let value = word(at: offset + 8) else {
                return nil
            }
            return UInt8(exactly: value).flatMap(Orientation.init(rawValue:))
        }
        return nil
    }
}
