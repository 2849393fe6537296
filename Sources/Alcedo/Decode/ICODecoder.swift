#if BMP || canImport(Darwin)
public import Foundation

/// Reads Windows icons (ICO) and cursors (CUR) without a library. The built-in PNG decoder reads images stored as PNG.
///
/// The icon's size is that of its largest image. For a smaller target, the smallest image that is at least as large is
/// decoded and scaled down; among images of the same size, the one with the most bits per pixel is chosen. Sizes and
/// depths are read from the images themselves. All images must begin within the file. Only the chosen image must be
/// complete; if it is damaged, decoding fails even if other images are intact.
///
/// The mask makes pixels transparent, unless the image has an alpha channel that isn't 0 everywhere. Pixels that
/// invert the screen are transparent, too.
public struct ICODecoder: StoredImageDecoding, EstimatedDecoding {
    public var format: ImageFormat { .ico }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        try header(of: ICODirectory(data.span).largest, in: data, limits)
    }

    /// Returns the cost, estimated as for a PNG, which takes longer than a bitmap.
    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        DecodeCost(
            workingBytes: try request.limits.bitmapBytes(for: header.size),
            time: CodecSpeed.png.time(header, byteCount: byteCount, request))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let entry = try ICODirectory(data.span).best(atLeast: least, data.span)
        switch entry.kind {
        case .png: return try png(entry, in: data, least, request)
        case .bitmap: return try ICOBitmap(entry, in: data, request.limits).decode(request)
        }
    }

    private func header(
        of entry: ICODirectory.Entry, in data: Data, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> ImageHeader {
        try limits.check(entry.size)
        var header = ImageHeader(format: .ico, size: entry.size)
        switch entry.kind {
        case .png:
            header = try readingPNG { (decoder) throws(ImageLoaderError) in
                try decoder.header(of: file(entry, in: data), limits: limits)
            }
            header.format = .ico
            header.orientation = .up
        case .bitmap:
            header.bitsPerSample = try BMPHeader(of: data.span, at: entry.offset, in: .ico, limits: limits)
                .bitsPerSample
        }
        header.frameCount = 1
        return header
    }

    private func png(
        _ entry: ICODirectory.Entry, in data: Data, _ least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        var request = request
        request.frames = .first
        return try readingPNG { (decoder) throws(ImageLoaderError) in
            let file = file(entry, in: data)
            var header = try decoder.header(of: file, limits: request.limits)
            // An icon has no orientation, and the region refers to the icon.
            header.orientation = .up
            return try decoder.decodeStored(file, header, atLeast: least, request)
        }
    }

    private func file(_ entry: ICODirectory.Entry, in data: Data) -> Data {
        let rest = data.dropFirst(entry.offset)
        return entry.length > 0 ? rest.prefix(entry.length) : rest
    }

    /// Calls `body` with the PNG decoder, and states in its errors that the PNG is part of an icon.
    private func readingPNG<R>(
        _ body: (any StoredImageDecoding) throws(ImageLoaderError) -> R
    ) throws(ImageLoaderError) -> R {
        guard let decoder = embeddedPNGDecoder else {
            throw .unsupportedImage(.ico, reason: "contains a PNG, which this build can't read")
        }
        do throws(ImageLoaderError) {
            return try body(decoder)
        } catch .corruptImage(_, let reason) {
            throw .corruptImage(.ico, reason: "its PNG: \(reason)")
        } catch .unsupportedImage(_, let reason) {
            throw .unsupportedImage(.ico, reason: "its PNG: \(reason)")
        } catch {
            throw error
        }
    }
}
#endif
