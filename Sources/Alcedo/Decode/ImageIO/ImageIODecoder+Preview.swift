#if canImport(ImageIO)
import CoreGraphics
public import Foundation

extension ImageIODecoder: PreviewDecoding {
    /// Returns the image's header, or nil until all bytes before the pixels have arrived.
    ///
    /// - Throws: The errors of ``ImageDecoding/header(of:limits:)``, and
    ///   ``ImageLoaderError/unsupportedImage(_:reason:)`` unless the file is a progressive JPEG or an interlaced PNG,
    ///   because ImageIO doesn't tell which rows have arrived.
    public func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        let header: ImageHeader
        switch kind {
        case .jpeg:
            guard JPEGMarkers.hasReachedScan(head.span) else { return nil }
            header = try ImageHeader(jpeg: head, limits: request.limits)
        case .png:
            guard PNGChunks.hasReachedPixels(head.span) else { return nil }
            header = try ImageHeader(png: head, limits: request.limits)
        case .webP, .heic, .avif, .jpegXL, .tiff: throw noPreviews
        }
        guard hasPreviews(header) else { throw noPreviews }
        return header
    }

    /// Whether the first bytes of the pixels already show the whole image, in less detail.
    private func hasPreviews(_ header: ImageHeader) -> Bool {
        switch kind {
        // Only progressive files have coefficients that are collected.
        case .jpeg: header.coefficientBytes > 0
        case .png: header.isInterlaced && header.frameCount == 1
        case .webP, .heic, .avif, .jpegXL, .tiff: false
        }
    }

    private var noPreviews: ImageLoaderError {
        .unsupportedImage(format, reason: "no previews, as ImageIO doesn't tell which rows have arrived")
    }

    /// Returns the memory for a bitmap, and for the pixels and coefficients that ImageIO holds.
    public func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try request.limits.bitmapBytes(for: header.size).plus(heldBytes(header, header.size, request.limits))
    }

    public func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        guard hasPreviews(header) else { throw noPreviews }
        return ImageIOPreviewReader(header, kind, request.limits)
    }
}

/// Decodes the image of a file that is arriving anew for each preview.
private final class ImageIOPreviewReader: PreviewReading {
    private let file: UnfinishedImageIOFile
    private let header: ImageHeader
    private let kind: ImageIODecoder.Format
    private let limits: DecodeLimits
    private var bytes = Data()
    /// The number of bytes of the last preview.
    private var shownBytes = 0
    private var previews = 0

    init(_ header: ImageHeader, _ kind: ImageIODecoder.Format, _ limits: DecodeLimits) {
        file = UnfinishedImageIOFile(kind)
        self.header = header
        self.kind = kind
        self.limits = limits
    }

    func append(_ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation) {
        self.bytes.append(contentsOf: bytes)
    }

    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage? {
        try cancellation.check()
        guard bytes.count > shownBytes, let image = file.image(bytes) else { return nil }
        guard image.size == header.size else { throw .corruptImage(kind.format, reason: "two headers that differ") }
        shownBytes = bytes.count
        previews += 1
        return PartialImage(
            bitmap: try image.bitmap(in: nil, kind.format, limits), coverage: 1, quality: .coarse(pass: pass))
    }

    /// The number of the scan that is arriving. ImageIO doesn't tell that of a PNG's pass: the previews are counted
    /// then.
    private var pass: Int { kind == .jpeg ? JPEGMarkers.scans(in: bytes.span) : min(previews, 7) }
}
#endif
