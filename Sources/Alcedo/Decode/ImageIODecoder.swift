#if canImport(ImageIO)
import CoreGraphics
public import Foundation
import ImageIO

/// Reads one format with ImageIO, by the same rules as the decoders on other platforms.
///
/// The limits are checked against the file's own header before ImageIO sees the file. It isn't known yet which damaged
/// files ImageIO refuses. Colors are converted to sRGB.
public struct ImageIODecoder: StoredImageDecoding {
    /// The formats that are read with ImageIO.
    public enum Format: Sendable {
        case jpeg, png
    }

    private let kind: Format

    public var format: ImageFormat {
        switch kind {
        case .jpeg: .jpeg
        case .png: .png
        }
    }

    /// Creates a decoder for `format`. It has no state.
    public init(_ format: Format) { kind = format }

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        switch kind {
        case .jpeg: return try ImageHeader(jpeg: data, limits: limits)
        case .png:
            var header = try ImageHeader(png: data, limits: limits)
            // Animations are decoded as their still image.
            header.frameCount = 1
            return header
        }
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let options = [kCGImageSourceShouldCache: false] as CFDictionary
        guard let source = CGImageSourceCreateWithData(data as CFData, options),
            CGImageSourceGetStatusAtIndex(source, 0) == .statusComplete,
            let image = CGImageSourceCreateImageAtIndex(source, 0, options)
        else { throw .corruptImage(format, reason: "ends too early or breaks the format's rules") }
        guard image.width == header.size.width, image.height == header.size.height else {
            throw .corruptImage(format, reason: "two headers that differ")
        }
        var builder = try BitmapBuilder(size: header.size, limits: request.limits)
        guard builder.draw(image) else { throw .corruptImage(format, reason: "could not be drawn") }
        return StoredImage(bitmap: builder.freeze())
    }
}
#endif
