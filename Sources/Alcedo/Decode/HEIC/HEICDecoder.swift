#if os(Linux) && HEIC
public import Foundation

/// Reads HEIC (HEIF with HEVC) with the system's libheif: the primary image, of 8 to 12 bits, with or without alpha, in
/// one piece, as a grid or in layers.
///
/// Samples of more than 8 bits are rounded to 8 bits. Colors are handled as in ``AVIFDecoder``: a color profile is
/// passed on with the image or made from the nclx box, HDR becomes sRGB, and a gain map is ignored. The file's own crop
/// is applied, and its own rotation and mirroring become its ``ImageHeader/orientation``; EXIF is ignored. Costs about
/// 80 ms per megapixel, unless a thumbnail in the file suffices for the target.
///
/// If a file has several images, only the primary one is read. A sequence is read as the still image that it contains;
/// a sequence without a still image is refused with ``ImageLoaderError/unsupportedImage(_:reason:)``, as are images
/// with codecs other than HEVC and tiles that are cropped or turned individually.
public struct HEICDecoder: StoredImageDecoding, EstimatedDecoding {
    public var format: ImageFormat { .heic }

    /// Creates a decoder. It has no settings and no state.
    public init() {}

    public func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        let items = try HEIFItems(data)
        let picture = try HEIFPicture(items.primary, of: items, data)
        try limits.check(picture.size)
        if !HEIFWork.isPadding(picture.storedSize, of: picture.size) { try limits.check(picture.storedSize) }
        var header = ImageHeader(format: .heic, size: picture.size, orientation: picture.orientation)
        header.hasAlpha = picture.alpha != nil
        header.bitsPerSample = picture.bitsPerSample
        header.frameCount = 1
        header.profileBytes = picture.profile?.count
        header.isHDR = picture.colors?.isHDR == true
        if let profile = picture.profile { try limits.check(metadataBytes: profile.count) }
        return header
    }

    /// Returns the memory for the bitmap, libheif's pixels with four samples each, and the planes that those are made
    /// from. Samples of more than 8 bits take two bytes.
    public func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        let bytes = try request.limits.bitmapBytes(for: header.size)
        let isDeep = header.bitsPerSample.map { $0 > 8 } ?? true
        return DecodeCost(workingBytes: bytes.multiplied(by: isDeep ? 5 : 3))
    }

    public func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let items = try HEIFItems(data)
        let whole = try HEIFPicture(items.primary, of: items, data)
        var work = try HEIFWork(items, data, request.limits)
        let picture = least.flatMap { whole.thumbnail(atLeast: $0, of: items, data) } ?? whole
        // Checks the bitmap's size before libheif allocates the planes.
        _ = try request.limits.bitmapBytes(for: picture.size)
        if !HEIFWork.isPadding(picture.storedSize, of: picture.size) {
            _ = try request.limits.bitmapBytes(for: picture.storedSize)
        }
        try work.check(picture)
        try request.cancellation.check()
        let bytes = data.bytes
        let bitmap = try bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in
            try HEICFile.open(bytes).decode(picture, primary: items.primary).bitmap(picture, request)
        }
        var stored = StoredImage(bitmap: bitmap, isOpaque: picture.alpha == nil)
        stored.profile = profile(of: picture, data)
        return stored
    }

    /// The profile of the decoded pixels. Gray pixels may have an RGB profile.
    private func profile(of picture: HEIFPicture, _ data: Data) -> Data? {
        guard let profile = picture.profile else { return picture.colors?.profile(isGray: false) }
        return Data(data.part(profile)).profile(of: [.gray, .rgb])
    }
}
#endif
