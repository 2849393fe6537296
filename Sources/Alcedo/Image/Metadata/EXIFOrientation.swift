extension Orientation {
    /// Reads the orientation from a block of EXIF data, which is a TIFF file (EXIF 2.32, section 4.5).
    ///
    /// A damaged block, or one without an orientation, means ``up``: a bad camera tag is no reason to reject an image.
    init(exif bytes: Span<UInt8>) { self = TIFFDirectory(firstOf: bytes)?.orientation(in: bytes) ?? .up }
}

extension TIFFDirectory {
    /// The orientation that the first directory of a file states; nil if it states none, or one that doesn't exist.
    func orientation(in bytes: Span<UInt8>) -> Orientation? {
        guard let field = field(0x0112, in: bytes), field.type == 3, field.count == 1,
            let value = word(at: field.range.lowerBound, bytes)
        else { return nil }
        return UInt8(exactly: value).flatMap(Orientation.init(rawValue:))
    }
}
