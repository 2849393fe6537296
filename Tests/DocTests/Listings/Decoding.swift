import Alcedo
import AlcedoTestSupport
import Foundation

/// The listings about decoding, one function for each.
enum Decoding {
    static func thumbnail(_ data: Data) throws(ImageLoaderError) -> DecodedImage {
        // region: decode-by-hand
        var request = DecodeRequest()
        request.target = DecodeTarget(PixelSize(width: 200, height: 200), mode: .crop)
        let image = try ImageDecoders.builtIn.decode(data, request)
        // endregion
        return image
    }

    static func part(of data: Data) throws(ImageLoaderError) -> DecodedImage {
        // region: part
        let region = PixelRectangle(x: 4_000, y: 2_500, width: 1_000, height: 1_000)
        let request = DecodeRequest(target: DecodeTarget(region.size, region: region))
        let image = try ImageDecoders.builtIn.decode(data, request)
        // endregion
        return image
    }

    static func tell(_ data: Data) throws(ImageLoaderError) -> ImageHeader {
        // region: header
        let header = try ImageDecoders.builtIn.header(of: data)
        print(header.format, header.size, header.orientation)
        // endregion
        return header
    }

    static func describe(_ data: Data) throws(ImageLoaderError) -> ImageMetadata {
        // region: metadata
        let metadata = try ImageMetadata(of: data)
        if let place = metadata.location { print(place.latitude, place.longitude) }
        if let date = metadata.captureDate {
            print(date, metadata.camera.model ?? "an unknown camera")
        }
        // endregion
        return metadata
    }

    static func frame(of image: DecodedImage, after time: Duration) async throws(ImageLoaderError) -> Bitmap {
        // region: play
        guard let animation = image.animation else { return image.bitmap }
        return try await animation.frame(at: animation.frameIndex(at: time))
        // endregion
    }

    static func damage() -> ImageLoader.Configuration {
        // region: damaged-images
        var configuration = ImageLoader.Configuration()
        configuration.decode.damaged = .showWhatIsThere
        // endregion
        return configuration
    }

    static func settings() -> ImageLoader.Configuration {
        // region: own-decoder-first
        var configuration = ImageLoader.Configuration()
        configuration.decode.decoders = ImageDecoders(
            [BMPDecoder()] + ImageDecoders.builtIn.decoders)
        // endregion
        return configuration
    }

    static func problems(with file: Data) async -> [DecoderProblem] {
        // region: check-decoder
        let problems = await DecoderCheck(BMPDecoder()).problems(with: file)
        // endregion
        return problems
    }
}

// region: own-decoder
/// Reads BMP, but only of 24 bits, uncompressed and from the bottom up.
struct BMPDecoder: StoredImageDecoding {
    var format: ImageFormat { .bmp }

    func header(
        of data: Data, limits: DecodeLimits
    ) throws(ImageLoaderError) -> ImageHeader {
        guard data.count >= 54 else {
            throw .corruptImage(.bmp, reason: "ends within its head")
        }
        guard number(data, at: 28) == 24, number(data, at: 30) == 0 else {
            throw .unsupportedImage(.bmp, reason: "not of 24 bits, or compressed")
        }
        let header = ImageHeader(
            format: .bmp,
            size: PixelSize(width: number(data, at: 18), height: number(data, at: 22)))
        try limits.check(header.size)
        return header
    }

    func decodeStored(
        _ data: Data, _ header: ImageHeader, atLeast least: PixelSize?,
        _ request: DecodeRequest
    ) throws(ImageLoaderError) -> StoredImage {
        let (width, height) = (header.size.width, header.size.height)
        let start = number(data, at: 10)
        let stride = (width * 3 + 3) / 4 * 4
        guard start >= 54, data.count - start >= stride * height else {
            throw .corruptImage(.bmp, reason: "ends too early")
        }
        var builder = try BitmapBuilder(size: header.size, limits: request.limits)
        for y in 0..<height {
            try request.cancellation.check()
            let row = data.dropFirst(start + (height - 1 - y) * stride).prefix(stride)
            builder.withBytes { pixels in
                for x in 0..<width {
                    let blue = row.startIndex + 3 * x
                    let pixel = SIMD4(row[blue + 2], row[blue + 1], row[blue], 255)
                    pixels.storeBytes(
                        of: pixel, toByteOffset: (y * width + x) * 4,
                        as: SIMD4<UInt8>.self)
                }
            }
        }
        return StoredImage(bitmap: builder.freeze(), isOpaque: true)
    }

    /// Two bytes for the count of bits, four for all others.
    private func number(_ data: Data, at offset: Int) -> Int {
        let bytes = data.dropFirst(offset).prefix(offset == 28 ? 2 : 4)
        return bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
// endregion
