#if os(Linux) && AVIF
import CAvif
public import Foundation

/// Writes AVIF with the system's libavif: lossy, with transparency. An image's RGB color profile is written.
///
/// Files are smaller than those of JPEG and WebP, and take far longer to encode: some 450 ms per megapixel of a photo
/// with the default ``speed``. Encoding can't be interrupted.
///
/// Opaque images are stored without alpha, and gray ones without color unless they have a profile.
public struct AVIFEncoder: MetadataEncoding {
    /// The quality from 0, smallest, to 100, best; 60 by default. Other values make ``encode(_:)-(Bitmap)`` throw.
    ///
    /// The scale is libavif's own, and differs from that of JPEG.
    public var quality: Int
    /// The quality of transparency, from 0, smallest, to 100, exact; 100 by default. Other values make
    /// ``encode(_:)-(Bitmap)`` throw.
    public var alphaQuality = 100
    /// The speed from 0, slowest, for the smallest files, to 10; 6 by default. Other values make
    /// ``encode(_:)-(Bitmap)`` throw.
    public var speed: Int
    /// The resolution of colors. Default: ``ChromaSubsampling/yuv420``.
    public var subsampling = ChromaSubsampling.yuv420
    /// The part of an image's metadata that is written. Default: ``MetadataWriting/strip``.
    public var metadata = MetadataWriting.strip

    public var format: ImageFormat { .avif }

    public var identity: String { "AVIF 1 \(quality) \(alphaQuality) \(speed) \(subsampling) \(metadata)" }

    /// Creates an encoder with these settings.
    public init(quality: Int = 60, speed: Int = 6) { (self.quality, self.speed) = (quality, speed) }

    public func encode(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        try encode(bitmap, profile: nil, exif: nil)
    }

    public func encode(_ image: DecodedImage) throws(ImageLoaderError) -> Data {
        let colors = try WrittenColors(image.profile, room: Self.longestProfile)
        return try encode(colors.pixels(of: image.bitmap), profile: colors.profile, exif: exif(of: image))
    }

    private func encode(_ bitmap: Bitmap, profile: Data?, exif: Data?) throws(ImageLoaderError) -> Data {
        for (name, value, most) in [
            ("quality", quality, 100), ("alpha quality", alphaQuality, 100), ("speed", speed, 10),
        ]
        where !(0...most).contains(value) {
            throw .encodingFailed(.avif, reason: "\(name) \(value) is not within 0...\(most)")
        }
        let isGray = profile == nil && bitmap.isGray
        guard max(bitmap.size.width, bitmap.size.height) <= Self.longestSide,
            let picture = avifImageCreate(
                UInt32(bitmap.size.width), UInt32(bitmap.size.height), 8,
                isGray ? AVIF_PIXEL_FORMAT_YUV400 : subsampling.pixelFormat)
        else {
            throw .encodingFailed(.avif, reason: "\(bitmap.size) pixels, of at most \(Self.longestSide) either way")
        }
        defer { avifImageDestroy(picture) }
        try picture.describeColors(profile)
        if let exif { try picture.describe(exif) }
        try picture.copyPixels(of: bitmap)
        guard let encoder = avifEncoderCreate() else { throw .encodingFailed(.avif, reason: "no memory") }
        defer { avifEncoderDestroy(encoder) }
        encoder.pointee.speed = Int32(speed)
        alcedo_avif_set_quality(encoder, Int32(quality), Int32(alphaQuality))
        var output = avifRWData()
        defer { avifRWDataFree(&output) }
        try avifEncoderWrite(encoder, picture, &output).check()
        return Data(bytes: output.data, count: output.size)
    }

    /// The maximum of 16 bits (AV1, section 5.5.1).
    private static let longestSide = 65_536
    /// Boxes have a length of 32 bits, and readers may refuse long ones.
    private static let longestProfile = 1 << 30
}

extension UnsafeMutablePointer<avifImage> {
    /// Sets the profile or, without one, the code points of sRGB (ITU-T H.273). Luminance and colors are mixed as in
    /// JPEG.
    fileprivate func describeColors(_ profile: Data?) throws(ImageLoaderError) {
        if let profile {
            profile.withUnsafeBytes { bytes in
                avifImageSetProfileICC(self, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
            }
            guard pointee.icc.size == profile.count else { throw .encodingFailed(.avif, reason: "no memory") }
        }
        pointee.colorPrimaries = profile == nil ? 1 : 2
        pointee.transferCharacteristics = profile == nil ? 13 : 2
        pointee.matrixCoefficients = 6
    }

    fileprivate func describe(_ exif: Data) throws(ImageLoaderError) {
        exif.withUnsafeBytes { bytes in
            avifImageSetMetadataExif(self, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard pointee.exif.size == exif.count else { throw .encodingFailed(.avif, reason: "no memory") }
    }

    fileprivate func copyPixels(of bitmap: Bitmap) throws(ImageLoaderError) {
        var source = avifRGBImage()
        avifRGBImageSetDefaults(&source, self)
        source.format = AVIF_RGB_FORMAT_RGBA
        source.alphaPremultiplied = AVIF_TRUE
        source.ignoreAlpha = bitmap.isOpaque ? AVIF_TRUE : AVIF_FALSE
        source.rowBytes = UInt32(clamping: bitmap.bytesPerRow)
        let result = bitmap.withUnsafeBytes { pixels in
            // libavif doesn't write to its source.
            source.pixels = UnsafeMutablePointer<UInt8>(mutating: pixels.bindMemory(to: UInt8.self).baseAddress)
            return avifImageRGBToYUV(self, &source)
        }
        try result.check()
    }
}

extension ChromaSubsampling {
    fileprivate var pixelFormat: avifPixelFormat {
        switch self {
        case .yuv420: AVIF_PIXEL_FORMAT_YUV420
        case .yuv422: AVIF_PIXEL_FORMAT_YUV422
        case .yuv444: AVIF_PIXEL_FORMAT_YUV444
        }
    }
}

extension avifResult {
    fileprivate func check() throws(ImageLoaderError) {
        guard self == AVIF_RESULT_OK else {
            throw .encodingFailed(.avif, reason: String(cString: avifResultToString(self)))
        }
    }
}
#endif
