#if GIF || canImport(Darwin)
public import Foundation

extension GIFDecoder: PreviewDecoding {
    /// Returns the image's header, or nil until the first image is complete.
    ///
    /// The first image is the only preview; views show it until they play the animation.
    public func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        let blocks = try GIFBlocks(scanning: head.span, limits: request.limits)
        return blocks.frames.isEmpty ? nil : ImageHeader(format: .gif, size: blocks.size)
    }

    /// Returns the size of one bitmap. The bytes that the bitmap is decoded from are released with the head.
    public func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try request.limits.bitmapBytes(for: header.size)
    }

    public func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        GIFPreviewReader(head, request.limits)
    }
}

/// Decodes the first image of a GIF, which the head contains. Then throws, so that no more bytes are copied.
private final class GIFPreviewReader: PreviewReading {
    private let limits: DecodeLimits
    /// Nil once the image has been shown.
    private var head: Data?

    init(_ head: Data, _ limits: DecodeLimits) {
        self.head = head
        self.limits = limits
    }

    func append(_ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation) {}

    func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage? {
        guard let head else { throw .unsupportedImage(.gif, reason: "no previews after the first image") }
        let blocks = try GIFBlocks(scanning: head.span, limits: limits)
        var frames = GIFFrames(GIFAnimation(data: head, blocks: blocks, limits: limits), cancellation)
        let first = try frames.next()
        self.head = nil
        return PartialImage(bitmap: first, coverage: 1, quality: .final)
    }
}
#endif
