#if canImport(ImageIO)
import CoreGraphics
import Foundation

extension ImageIODecoder {
    /// Checks a file before ImageIO sees it, and adds the end marker if that is all that is missing.
    func intact(_ data: Data, _ limits: DecodeLimits) throws(ImageLoaderError) -> Data {
        guard let found = integrity(of: data, limits) else { return data }
        if let damage = found.damage { throw .corruptImage(format, reason: damage) }
        if found.usableBytes == data.count, found.missingEnd.isEmpty { return data }
        return data.prefix(found.usableBytes) + found.missingEnd
    }

    /// Nil for formats of which only ImageIO knows.
    private func integrity(of data: Data, _ limits: DecodeLimits) -> FileIntegrity? {
        switch kind {
        case .jpeg: FileIntegrity(jpeg: data, limits: limits)
        // Apple's variant has checksums of its own kind.
        case .png: data.span.has("CgBI", at: 12) ? nil : FileIntegrity(png: data.span)
        case .webP: FileIntegrity(webP: data.span)
        case .heic, .avif, .jpegXL: FileIntegrity(boxes: data.span)
        case .tiff: nil
        }
    }

    /// Decodes the pixels that a damaged file has; returns nil if there are none.
    ///
    /// - Throws: ``ImageLoaderError/cancelled``, and ``ImageLoaderError/limitExceeded(_:value:allowed:)``.
    func part(
        of data: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage? {
        _ = try request.limits.bitmapBytes(for: header.size)
        let usable = data.prefix(integrity(of: data, request.limits)?.usableBytes ?? data.count)
        guard let image = UnfinishedImageIOFile(kind).image(usable), image.size == header.size else { return nil }
        try request.cancellation.check()
        let profile = try image.keptProfile(request.limits)
        var stored = StoredImage(bitmap: try image.bitmap(in: profile, format, request.limits))
        stored.profile = profile
        stored.isComplete = false
        return stored
    }

    /// The memory that ``part(of:_:_:)`` needs; 0 if the limits don't allow it.
    func partBytes(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        guard request.damaged == .showWhatIsThere else { return 0 }
        let bytes = header.size.width.multiplied(by: header.size.height).multiplied(by: 4)
        return bytes <= request.limits.bitmapBytes ? bytes.multiplied(by: 2) : 0
    }
}
#endif
