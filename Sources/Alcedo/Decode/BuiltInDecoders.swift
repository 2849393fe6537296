/// The decoders for this platform and the enabled traits. Only this file selects them.
let builtInDecoders: [any ImageDecoding] =
    jpegDecoders + pngDecoders + gifDecoders + webPDecoders
    + avifDecoders + bitmapDecoders + heicDecoders + tiffDecoders
    + jpegXLDecoders

/// The decoder for PNGs embedded in other formats; nil if this build has none.
let embeddedPNGDecoder = pngDecoders.first

#if canImport(ImageIO)
private let jpegDecoders: [any ImageDecoding] = [ImageIODecoder(.jpeg)]
private let pngDecoders: [any StoredImageDecoding] = [ImageIODecoder(.png)]
private let webPDecoders = imageIODecoders(.webP)
private let avifDecoders = imageIODecoders(.avif)
private let heicDecoders = imageIODecoders(.heic)
private let tiffDecoders = imageIODecoders(.tiff)
private let jpegXLDecoders = imageIODecoders(.jpegXL)

/// A decoder for a format, if the system reads it.
private func imageIODecoders(_ format: ImageIODecoder.Format) -> [any ImageDecoding] {
    ImageIODecoder.Format.available.contains(format) ? [ImageIODecoder(format)] : []
}
#else
#if os(Linux) && JPEG
private let jpegDecoders: [any ImageDecoding] = [JPEGDecoder()]
#else
private let jpegDecoders: [any ImageDecoding] = []
#endif
#if os(Linux) && PNG
private let pngDecoders: [any StoredImageDecoding] = [PNGDecoder()]
#else
private let pngDecoders: [any StoredImageDecoding] = []
#endif
#if os(Linux) && WebP
private let webPDecoders: [any ImageDecoding] = [WebPDecoder()]
#else
private let webPDecoders: [any ImageDecoding] = []
#endif
#if os(Linux) && AVIF
private let avifDecoders: [any ImageDecoding] = [AVIFDecoder()]
#else
private let avifDecoders: [any ImageDecoding] = []
#endif
#if os(Linux) && HEIC
private let heicDecoders: [any ImageDecoding] = [HEICDecoder()]
#else
private let heicDecoders: [any ImageDecoding] = []
#endif
#if os(Linux) && TIFF
private let tiffDecoders: [any ImageDecoding] = [TIFFDecoder()]
#else
private let tiffDecoders: [any ImageDecoding] = []
#endif
#if os(Linux) && JPEGXL
private let jpegXLDecoders: [any ImageDecoding] = [JPEGXLDecoder()]
#else
private let jpegXLDecoders: [any ImageDecoding] = []
#endif
#endif
#if GIF || canImport(Darwin)
private let gifDecoders: [any ImageDecoding] = [GIFDecoder()]
#else
private let gifDecoders: [any ImageDecoding] = []
#endif
#if BMP || canImport(Darwin)
private let bitmapDecoders: [any ImageDecoding] = [BMPDecoder(), ICODecoder()]
#else
private let bitmapDecoders: [any ImageDecoding] = []
#endif
