#if BMP || canImport(Darwin)
/// The directory of a Windows icon or cursor, which has the same image in several sizes and depths.
///
/// Only the offsets and lengths are taken from the directory. Sizes and depths are read from the images themselves,
/// because many programs write other values, and cursors have no depths.
struct ICODirectory {
    /// One image.
    struct Entry: Equatable {
        enum Kind { case png, bitmap }

        let kind: Kind
        let offset: Int
        /// The length that the directory states; 0 if it states none.
        let length: Int
        let size: PixelSize
        let bitsPerPixel: Int

        fileprivate var area: Int { size.width.multiplied(by: size.height) }
    }

    /// The largest image; among images of the same size, the one with the most bits per pixel.
    let largest: Entry
    private let count: Int

    /// Reads the beginning of each image.
    ///
    /// - Throws: ``ImageLoaderError/corruptImage(_:reason:)``, even if only one image begins beyond the end, because it
    ///   may have been the best.
    init(_ bytes: Span<UInt8>) throws(ImageLoaderError) {
        guard let count = bytes.littleWord(at: 4), count > 0 else { throw .corruptImage(.ico, reason: "no icons") }
        self.count = count
        var largest: Entry?
        for index in 0..<count {
            let entry = try Self.entry(index, bytes)
            guard let other = largest, (other.area, other.bitsPerPixel) >= (entry.area, entry.bitsPerPixel) else {
                largest = entry
                continue
            }
        }
        guard let largest else { throw .corruptImage(.ico, reason: "no icons") }
        self.largest = largest
    }

    /// The smallest image that is no smaller than `least` and has the aspect ratio of the largest or, if there is none,
    /// the largest image. Among images of the same size, the one with the most bits per pixel.
    func best(atLeast least: PixelSize?, _ bytes: Span<UInt8>) throws(ImageLoaderError) -> Entry {
        guard let least else { return largest }
        var best = largest
        for index in 0..<count {
            let entry = try Self.entry(index, bytes)
            guard entry.size.width >= least.width, entry.size.height >= least.height,
                entry.size.width.multiplied(by: largest.size.height)
                    == entry.size.height.multiplied(by: largest.size.width)
            else { continue }
            if (entry.area, -entry.bitsPerPixel) < (best.area, -best.bitsPerPixel) { best = entry }
        }
        return best
    }

    private static func entry(_ index: Int, _ bytes: Span<UInt8>) throws(ImageLoaderError) -> Entry {
        let place = 6 + 16 * index
        guard let length = bytes.littleLong(at: place + 8), let offset = bytes.littleLong(at: place + 12) else {
            throw .corruptImage(.ico, reason: "ends within its directory")
        }
        if bytes.has("PNG\r\n", at: offset + 1) {
            return try png(bytes, offset, length)
        }
        return try bitmap(bytes, offset, length)
    }

    private static func png(
        _ bytes: Span<UInt8>, _ offset: Int, _ length: Int
    ) throws(ImageLoaderError) -> Entry {
        // In Apple's variant, another chunk precedes the image header.
        let head = offset + (bytes.has("CgBI", at: offset + 12) ? 32 : 16)
        guard let width = bytes.long(at: head), let height = bytes.long(at: head + 4),
            let depth = bytes.byte(at: head + 8), let colorType = bytes.byte(at: head + 9)
        else { throw .corruptImage(.ico, reason: "a PNG that ends within its header") }
        let channels = [2: 3, 4: 2, 6: 4][colorType] ?? 1
        return Entry(
            kind: .png, offset: offset, length: length, size: PixelSize(width: width, height: height),
            bitsPerPixel: Int(depth) * channels)
    }

    private static func bitmap(
        _ bytes: Span<UInt8>, _ offset: Int, _ length: Int
    ) throws(ImageLoaderError) -> Entry {
        let bitmap = try BMPHeader(of: bytes, at: offset, in: .ico, limits: .unlimited)
        return Entry(
            kind: .bitmap, offset: offset, length: length, size: bitmap.size, bitsPerPixel: bitmap.bitsPerPixel)
    }
}
#endif
