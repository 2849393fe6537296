import Foundation

@testable import Alcedo

/// Feeds an input in pieces, as it comes from the network, to the reader of its format, and asks for a preview after
/// each.
enum PreviewRun {
    static func run(_ input: Data) {
        var limits = DecodeLimits()
        limits.pixels = 1 << 16
        limits.side = 1 << 12
        limits.bitmapBytes = 1 << 18
        limits.metadataBytes = 1 << 16
        limits.jpegScans = 20
        var request = DecodeRequest(limits: limits)
        // Sizes and pieces of all kinds, and always the same of one input.
        if input.count % 2 == 1 { request.target = DecodeTarget(PixelSize(width: 9, height: 7)) }
        let piece = 1 + Int(input.last ?? 0) * 8
        do throws(ImageLoaderError) {
            switch ImageFormat(sniffing: input) {
            case .jpeg: try read(input, piece, JPEGDecoder(), request)
            case .png: try read(PNGRepair.mended(input, renumbering: false), piece, PNGDecoder(), request)
            case .webp: try read(input, piece, WebPDecoder(), request)
            #if JPEGXL
            case .jxl: try read(input, piece, JPEGXLDecoder(), request)
            #endif
            default: break
            }
        } catch {
            precondition(error != .cancelled, "cancelled by nobody")
        }
    }

    private static func read(
        _ file: Data, _ length: Int, _ decoder: some PreviewDecoding, _ request: DecodeRequest
    ) throws(ImageLoaderError) {
        guard let header = try decoder.previewHeader(file, request) else { return }
        _ = try decoder.previewBytes(header, request)
        var fitting = PictureFitting(header, request)
        let reader = try decoder.previewReader(file, header, request)
        var lastCoverage = 0.0
        for start in stride(from: 0, to: file.count, by: length) {
            let piece = Data(file[start..<min(file.count, start + length)])
            try piece.span.withUnsafeBytes { (bytes) throws(ImageLoaderError) in
                try reader.append(bytes, DecodeCancellation())
            }
            guard let part = try reader.preview(DecodeCancellation()) else { continue }
            precondition((lastCoverage...1).contains(part.coverage), "less is drawn than before")
            lastCoverage = part.coverage
            let picture = try fitting.apply(to: part.bitmap, reducedBy: part.reduction)
            precondition(picture.size == fitting.size, "another size than was asked for")
        }
    }
}
