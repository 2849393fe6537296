#if BMP || canImport(Darwin)
public import Foundation

/// Reads BMP without a library: all versions of the Windows and OS/2 headers, with 1 to 32 bits per pixel, palettes,
/// runs (RLE), channels of any width, and alpha.
///
/// Pixels that runs leave out are transparent, and pixels whose index has no color in the palette are black. An image
/// whose alpha is 0 everywhere is opaque. An embedded ICC profile is passed on with the image, as is a profile made
/// from the colors that the header describes, if they aren't sRGB; the latter requires the trait `ColorProfiles`.
/// Linked profiles are ignored.
///
/// Bitmaps that contain a JPEG or a PNG, which are meant for printers, aren't read.
///
/// All pixels must be present; only the end marker of runs may be missing.
///
/// Costs about 4 ms per megapixel. For a smaller target, rows are scaled as they are read, so the full-size image is
/// never in memory; images with runs need all of it in memory.
public struct BMPDecoder: StoredImageDecoding, EstimatedDecoding {
    public var format: ImageFormat { .bmp }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        let bitmap = try BMPHeader(of: data.span, limits: limits)
        var header = ImageHeader(format: .bmp, size: bitmap.size)
        header.hasAlpha = bitmap.mayHaveAlpha ? nil : false
        header.bitsPerSample = bitmap.bitsPerSample
        header.frameCount = 1
        header.profileBytes = bitmap.profile?.count
        header.needsAllPixels = bitmap.coding == .runs
        header.makesColorTables = bitmap.profile == nil && bitmap.colors.map { !$0.isSRGB(isGray: false) } ?? false
        return header
    }

    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        let streamed = Self.streamedPart(header, PictureFitting(header, request).wholeSize, request)
        return DecodeCost(
            workingBytes: try request.limits.bitmapBytes(for: streamed?.size ?? header.size),
            time: CodecSpeed.bmp.time(header, byteCount: byteCount, request))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let bitmap = try BMPHeader(of: data.span, limits: request.limits)
        var picture =
            try bitmap.coding == .runs
            ? runs(data, bitmap, request)
            : rows(data, bitmap, Self.streamedPart(header, least, request), request)
        picture.profile = Self.profile(of: data, bitmap)
        return picture
    }

    private func runs(
        _ data: Data, _ bitmap: BMPHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        var builder = try BitmapBuilder(size: bitmap.size, limits: request.limits)
        var runs = BMPRuns(bitmap, of: data.span)
        let isComplete = try builder.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            try runs.draw(
                data.span, on: pixels.bindMemory(to: UInt32.self), showsPart: request.damaged == .showWhatIsThere,
                request.cancellation)
        }
        var picture = StoredImage(
            bitmap: builder.freeze(), isOpaque: runs.drawn == bitmap.size.width * bitmap.size.height)
        picture.isComplete = isComplete
        return picture
    }

    private func rows(
        _ data: Data, _ bitmap: BMPHeader, _ streamed: (region: PixelRectangle, size: PixelSize)?,
        _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let rows = BMPRows(bitmap, of: data.span)
        let isComplete = rows.available.count == bitmap.size.height
        guard isComplete || request.damaged == .showWhatIsThere && !rows.available.isEmpty else {
            throw .corruptImage(.bmp, reason: "ends too early")
        }
        let size = streamed?.size ?? bitmap.size
        var builder = try BitmapBuilder(size: size, limits: request.limits)
        let bytesPerRow = builder.bytesPerRow
        try builder.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            if let streamed {
                try rows.read(
                    streamed.region, of: data, bitmap.size.width, scaledTo: streamed.size, into: pixels,
                    request.cancellation)
            } else {
                try rows.readAll(of: data, into: pixels, bytesPerRow: bytesPerRow, request.cancellation)
            }
        }
        var picture = StoredImage(bitmap: builder.freeze(), isOpaque: rows.isOpaque && isComplete)
        picture.part = streamed?.region
        picture.isComplete = isComplete
        return picture
    }

    /// The part of the pixels to keep while rows are read, and its scaled size; nil if the decode needs all pixels.
    private static func streamedPart(
        _ header: ImageHeader, _ least: PixelSize?, _ request: DecodeRequest
    ) -> (region: PixelRectangle, size: PixelSize)? {
        if header.needsAllPixels || request.damaged == .showWhatIsThere { return nil }
        return PictureFitting(header, request).streamedPart(of: header.size, atLeast: least)
    }

    private static func profile(of data: Data, _ bitmap: BMPHeader) -> Data? {
        guard let place = bitmap.profile else { return bitmap.colors?.profile(isGray: false) }
        return place.upperBound <= data.count ? data.part(place).profile(of: [.rgb]) : nil
    }
}
#endif
