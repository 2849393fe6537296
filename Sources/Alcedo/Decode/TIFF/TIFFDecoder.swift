#if os(Linux) && TIFF
import CShims
public import Foundation

/// Reads TIFF and BigTIFF with the system's libtiff: the first page, in strips or tiles, with all of the library's
/// compressions except JBIG.
///
/// Samples are unsigned integers of 1 to 16 bits, rounded to 8 bits: bilevel, gray, palette, RGB and CMYK. YCbCr,
/// CIELab of 8 bits, and LogLuv are also read, and are converted by libtiff. Files with other samples are refused with
/// ``ImageLoaderError/unsupportedImage(_:reason:)``. Alpha may be associated or not; other extra samples are ignored,
/// as are all extra samples of CMYK.
///
/// A color profile is passed on with the image, except that of CMYK, which is converted as described in
/// ``JPEGDecoder``. There are no previews, because the directory of a file may be at its end.
///
/// Costs about 5 ms per megapixel of uncompressed RGB. For a smaller target, rows are scaled as they are read, so the
/// full-size image is never in memory.
public struct TIFFDecoder: StoredImageDecoding, EstimatedDecoding {
    public var format: ImageFormat { .tiff }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        let bytes = data.bytes
        return try bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in
            try Self.header(of: Self.open(data, bytes, limits), limits)
        }
    }

    private static func header(of file: TIFFFile, _ limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        let layout = try TIFFLayout(file.head, limits)
        let orientation = UInt8(exactly: file.head.orientation).flatMap(Orientation.init(rawValue:)) ?? .up
        var header = ImageHeader(format: .tiff, size: file.size, orientation: orientation)
        header.hasAlpha = layout.alpha != nil
        header.bitsPerSample = layout.bits
        header.frameCount = 1
        header.profileBytes = file.profile?.count
        header.needsAllPixels = false
        header.bandBytes = TIFFBands.heldBytes(layout, file.size)
        if case .inks = layout.colors { header.makesColorTables = header.profileBytes != nil }
        return header
    }

    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        let streamed = Self.streamedPart(header, PictureFitting(header, request).wholeSize, request)
        let bytes = try request.limits.bitmapBytes(for: streamed?.size ?? header.size)
        return DecodeCost(workingBytes: bytes.plus(header.bandBytes))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let bytes = data.bytes
        return try bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in
            let file = try Self.open(data, bytes, request.limits)
            return try Self.decode(file, Self.streamedPart(header, least, request), request)
        }
    }

    /// Opens a file and checks its size, if possible before the library sees it, because that allocates a table of all
    /// strips.
    private static func open(
        _ data: Data, _ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits
    ) throws(ImageLoaderError) -> TIFFFile {
        let span = data.span
        if let directory = TIFFDirectory(firstOf: span), let width = directory.integer(0x0100, in: span),
            let height = directory.integer(0x0101, in: span)
        {
            try limits.check(PixelSize(width: width, height: height))
        }
        let file = try TIFFFile(bytes, limits)
        try limits.check(file.size)
        try limits.check(metadataBytes: Int(file.head.profile_count))
        return file
    }

    private static func decode(
        _ file: TIFFFile, _ streamed: (region: PixelRectangle, size: PixelSize)?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let layout = try TIFFLayout(file.head, request.limits)
        var builder = try BitmapBuilder(unwritten: streamed?.size ?? file.size, limits: request.limits)
        try request.cancellation.check()
        let inks: InkConversion? =
            if case .inks = layout.colors { file.profile.flatMap(InkConversion.init) } else { nil }
        let showsPart = request.damaged == .showWhatIsThere
        let bands = try TIFFBands(file, layout, inks, isCareful: showsPart)
        let rows = try builder.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            guard let streamed else {
                return try bands.readAll(file.size, into: pixels, showsPart: showsPart, request.cancellation)
            }
            try bands.read(streamed.region, of: file.size, scaledTo: streamed.size, into: pixels, request)
            return streamed.size.height
        }
        builder.wrote(rows: rows)
        let isComplete = rows == builder.size.height
        var picture = StoredImage(bitmap: builder.freeze(), isOpaque: layout.isOpaque && isComplete)
        picture.part = streamed?.region
        picture.isComplete = isComplete
        picture.profile = file.profile.flatMap { layout.profile($0) }
        return picture
    }

    /// The part of the pixels to keep while rows are read, and its scaled size; nil if the decode needs all pixels.
    private static func streamedPart(
        _ header: ImageHeader, _ least: PixelSize?, _ request: DecodeRequest
    ) -> (region: PixelRectangle, size: PixelSize)? {
        if request.damaged == .showWhatIsThere { return nil }
        return PictureFitting(header, request).streamedPart(of: header.size, atLeast: least)
    }
}

extension TIFFLayout {
    /// Whether no pixel can be transparent.
    fileprivate var isOpaque: Bool { alpha == nil }

    /// A file's profile, if it fits the decoded pixels. Gray pixels may have an RGB profile, as in JPEG.
    fileprivate func profile(_ profile: Data) -> Data? {
        switch colors {
        case .gray: profile.profile(of: [.gray, .rgb])
        case .rgb, .palette: profile.profile(of: [.rgb])
        case .inks, .converted: nil
        }
    }
}

extension TIFFBands {
    /// Reads all rows.
    ///
    /// - Parameter showsPart: Whether damage ends the image instead of being an error.
    /// - Returns: The number of rows that were read.
    fileprivate func readAll(
        _ size: PixelSize, into pixels: UnsafeMutableRawBufferPointer, showsPart: Bool,
        _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) -> Int {
        let bytesPerRow = size.width * 4
        for top in stride(from: 0, to: size.height, by: rowsPerBand) {
            let rows = top..<min(top + rowsPerBand, size.height)
            let part = UnsafeMutableRawBufferPointer(
                rebasing: pixels[rows.lowerBound * bytesPerRow..<rows.upperBound * bytesPerRow])
            do throws(ImageLoaderError) {
                try read(rows, into: part, cancellation)
            } catch {
                guard showsPart, top > 0, case .corruptImage = error else { throw error }
                return top
            }
        }
        return size.height
    }

    /// Reads a part of the pixels and scales it down.
    fileprivate func read(
        _ part: PixelRectangle, of size: PixelSize, scaledTo target: PixelSize,
        into pixels: UnsafeMutableRawBufferPointer, _ request: DecodeRequest
    ) throws(ImageLoaderError) {
        let bytesPerRow = size.width * 4
        _ = try request.limits.bitmapBytes(for: PixelSize(width: size.width, height: rowsPerBand))
        var scaler = RowScaler(from: part.size, to: target)
        var buffer = [UInt8](repeating: 0, count: bytesPerRow * rowsPerBand)
        for top in stride(from: firstRow(toRead: part.y), to: part.rows.upperBound, by: rowsPerBand) {
            let rows = top..<min(top + rowsPerBand, part.rows.upperBound)
            var span = buffer.mutableSpan
            try span.withUnsafeMutableBytes { (buffer) throws(ImageLoaderError) in
                let band = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(rows.count * bytesPerRow)])
                try read(rows, part.columns, into: band, request.cancellation)
                for row in rows.clamped(to: part.rows) {
                    let start = (row - top) * bytesPerRow
                    let columns = band[start + part.x * 4..<start + part.columns.upperBound * 4]
                    scaler.add(UnsafeRawBufferPointer(rebasing: columns), to: pixels)
                }
            }
        }
    }
}
#endif
