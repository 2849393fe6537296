#if canImport(ImageIO)
import Foundation

extension ImageIODecoder {
    /// The number of frames that a file announces; nil if it ends before the last one.
    func frameCount(of data: Data, _ header: ImageHeader, _ limits: DecodeLimits) -> Int? {
        // An animated PNG with invalid chunks is decoded as a still image.
        guard kind == .png, header.frameCount == nil else { return header.frameCount }
        return APNGIndex(scanning: data.span, size: header.size, limit: limits.frames)?.count ?? 1
    }

    /// The frames of an animated file; nil for a still image.
    ///
    /// The number and the delays of the frames are the file's own, because ImageIO lengthens short delays. If ImageIO
    /// counts other frames, the file is decoded as a still image.
    func animation(
        of data: Data, _ file: ImageIOFile, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> ImageIOAnimation? {
        guard let (delays, loopCount) = try timing(of: data, file, header, request), delays.count > 1,
            request.frames == .all
        else { return nil }
        try request.limits.check(animation: header.size, frames: delays.count)
        guard delays.count == file.count else { return nil }
        return ImageIOAnimation(
            data: data, kind: kind, size: header.size, delays: delays, loopCount: loopCount, limits: request.limits)
    }

    private func timing(
        of data: Data, _ file: ImageIOFile, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> (delays: [Duration], loopCount: LoopCount)? {
        let limits = request.limits
        switch kind {
        case .png:
            let chunks = try PNGChunks(scanning: data.span, limits: limits)
            guard chunks.isAnimated else { return nil }
            guard chunks.hasEnd else { throw .corruptImage(format, reason: "ends too early") }
            guard let index = APNGIndex(scanning: data.span, size: header.size, limit: limits.frames) else {
                return nil
            }
            // Beyond the limit, not all frames are kept.
            if request.frames == .all { try limits.check(frames: index.count) }
            return (index.frames.map(\.delay), LoopCount(plays: index.plays))
        case .webP:
            let chunks = try WebPChunks(scanning: data.span, limits: limits)
            guard chunks.isAnimated else { return nil }
            guard chunks.isWhole else { throw .corruptImage(format, reason: "ends too early") }
            return (chunks.frames.map(\.delay), chunks.loopCount)
        case .heic, .avif: return file.sequence
        case .jpeg, .jpegXL, .tiff: return nil
        }
    }
}
#endif
