#if os(Linux) && TIFF
import CShims
import Foundation

/// The first page of a file opened with libtiff, which reads the file's bytes while this object exists.
final class TIFFFile {
    private let handle: OpaquePointer?
    let head: alcedo_tiff_head

    /// Reads the directory of the first page, without its pixels.
    ///
    /// - Parameter bytes: Must outlive the file.
    init(_ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(ImageLoaderError) {
        var message = alcedo_message()
        var head = alcedo_tiff_head()
        var handle: OpaquePointer?
        // No more than for the pixels, but enough for what libtiff always needs.
        let most = max(1 << 20, min(limits.bitmapBytes, 1 << 30))
        let status = alcedo_tiff_begin(
            bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, most, &handle, &head, &message)
        self.handle = handle
        self.head = head
        try Self.check(status, message)
    }

    deinit { alcedo_tiff_end(handle) }

    var size: PixelSize { PixelSize(width: Int(head.width), height: Int(head.height)) }

    /// The profile as stored; nil if there is none.
    var profile: Data? {
        head.profile.flatMap { head.profile_count > 0 ? Data(bytes: $0, count: Int(head.profile_count)) : nil }
    }

    // MARK: Pixels

    /// Reads rows of a plane, from the top. Each row takes `bytesPerRow` bytes.
    func read(
        _ rows: Range<Int>, plane: Int, into samples: UnsafeMutableRawBufferPointer, bytesPerRow: Int
    ) throws(ImageLoaderError) {
        precondition(samples.count >= rows.count * bytesPerRow, "rows beyond the memory")
        var message = alcedo_message()
        let status = alcedo_tiff_read_rows(
            handle, UInt16(clamping: plane), UInt32(rows.lowerBound), UInt32(rows.count),
            samples.bindMemory(to: UInt8.self).baseAddress, bytesPerRow, &message)
        try Self.check(status, message)
    }

    /// Reads the tile of a plane that contains a pixel.
    func readTile(
        x: Int, y: Int, plane: Int, into samples: UnsafeMutableRawBufferPointer
    ) throws(ImageLoaderError) {
        precondition(samples.count >= head.chunk_bytes, "a tile beyond the memory")
        var message = alcedo_message()
        let status = alcedo_tiff_read_tile(
            handle, UInt16(clamping: plane), UInt32(x), UInt32(y), samples.bindMemory(to: UInt8.self).baseAddress,
            samples.count, &message)
        try Self.check(status, message)
    }

    /// Prepares for ``readPixels(_:into:)``.
    func beginPixels() throws(ImageLoaderError) {
        var message = alcedo_message()
        guard alcedo_tiff_begin_pixels(handle, &message) == alcedo_more else {
            throw .unsupportedImage(.tiff, reason: message.reason)
        }
    }

    /// Reads rows as premultiplied pixels, whatever the colors of the file.
    func readPixels(_ rows: Range<Int>, into pixels: UnsafeMutableRawBufferPointer) throws(ImageLoaderError) {
        precondition(pixels.count >= rows.count * size.width * 4, "rows beyond the memory")
        var message = alcedo_message()
        let status = alcedo_tiff_read_pixels(
            handle, UInt32(rows.lowerBound), UInt32(rows.count), pixels.bindMemory(to: UInt32.self).baseAddress,
            &message)
        try Self.check(status, message)
    }

    private static func check(_ status: alcedo_status, _ message: alcedo_message) throws(ImageLoaderError) {
        if status != alcedo_more { throw status.error(.tiff, message) }
    }
}
#endif
