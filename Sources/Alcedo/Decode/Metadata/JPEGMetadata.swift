import Foundation

/// The contents of a JPEG besides its main image: metadata in segments, more images, and a video after its end.
struct JPEGMetadata {
    let segments: JPEGMetadataSegments
    let packet: XMPPacket
    /// The number of images, including the main one.
    let pictureCount: Int
    let gainMap: ImageMetadata.GainMap?
    let hasDepthMap: Bool
    let video: Range<Int>?

    init(_ data: Data, _ limits: DecodeLimits) {
        var segments = JPEGMetadataSegments(data, limits)
        segments.joinExtendedXMP(in: data, limits)
        let packet = segments.blocks.packet
        let others = segments.otherPictures(in: data.span)
        // Apple's auxiliary images state their kind in their own metadata, which is at their beginning.
        let kinds = others.compactMap { picture in
            let head = data.part(picture.prefix(Self.mostHeadBytes))
            return JPEGMetadataSegments(head, limits).blocks.packet["apdi:AuxiliaryImageType"]
        }
        let hasMap = !others.isEmpty || packet.parts.contains { $0.semantic == "GainMap" }
        if segments.hasISOGainMap {
            gainMap = .iso
        } else if hasMap, packet["hdrgm:Version"] != nil {
            gainMap = .adobe
        } else {
            gainMap = kinds.contains { $0.hasSuffix("hdrgainmap") } ? .apple : nil
        }
        hasDepthMap =
            packet.parts.contains { $0.semantic == "Depth" }
            || kinds.contains { $0.hasSuffix("depth") || $0.hasSuffix("disparity") }
        pictureCount = 1 + others.count
        video = Self.video(in: data.span, packet)
        self.segments = segments
        self.packet = packet
    }

    private static let mostHeadBytes = 1 << 18

    /// The video of a motion photo, which is at the end of the file, or before other parts at the end.
    private static func video(in bytes: Span<UInt8>, _ packet: XMPPacket) -> Range<Int>? {
        var end = bytes.count
        // Goes backwards, because the first part, which is the main image, doesn't state its length.
        for part in packet.parts.dropFirst().reversed() {
            end -= min(part.padding, end)
            let start = end - min(part.length, end)
            if part.semantic == "MotionPhoto" { return checked(start..<end, in: bytes) }
            end = start
        }
        if let text = packet["GCamera:MicroVideoOffset"], let length = Int(text), (1...bytes.count).contains(length) {
            return checked(bytes.count - length..<bytes.count, in: bytes)
        }
        return SamsungTrailer.part("MotionPhoto_Data", in: bytes).flatMap { checked($0, in: bytes) }
    }

    /// Returns the range; nil if its bytes don't begin like a video.
    private static func checked(_ video: Range<Int>, in bytes: Span<UInt8>) -> Range<Int>? {
        video.count > 8 && bytes.has("ftyp", at: video.lowerBound + 4) ? video : nil
    }
}

extension ImageMetadata {
    init(_ jpeg: JPEGMetadata) {
        self.init(jpeg.segments.blocks, jpeg.packet)
        fill(\.resolution, jpeg.segments.density)
        pictureCount = jpeg.pictureCount
        gainMap = jpeg.gainMap
        if jpeg.hasDepthMap { hasDepthMap = true }
        motionPhotoVideo = jpeg.video
    }
}
