/// The decoders for this platform and the enabled traits, which only this file selects.
let builtInDecoders: [any ImageDecoding] =
    jpegDecoders + pngDecoders + gifDecoders + webPDecoders
    + avifDecoders + heicDecoders

#if canImport(ImageIO)
private let jpegDecoders: [any ImageDecoding] = [ImageIODecoder(.jpeg)]
private let pngDecoders: [any ImageDecoding] = [ImageIODecoder(.png)]
private let webPDecoders: [any ImageDecoding] = []
#else
#if os(Linux) && JPEG
private let jpegDecoders: [any ImageDecoding] = [JPEGDecoder()]
#else
private let jpegDecoders: [any ImageDecoding] = []
#endif
#if os(Linux) && PNG
private let pngDecoders: [any ImageDecoding] = [PNGDecoder()]
#else
private let pngDecoders: [any ImageDecoding] = []
#endif
#if os(Linux) && WebP
private let webPDecoders: [any ImageDecoding] = [WebPDecoder()]
#else
private let webPDecoders: [any ImageDecoding] = []
#endif
#endif
#if GIF || canImport(Darwin)
private let gifDecoders: [any ImageDecoding] = [GIFDecoder()]
#else
private let gifDecoders: [any ImageDecoding] = []
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
