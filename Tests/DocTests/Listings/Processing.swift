import Alcedo
import Foundation

// region: own-processor
struct Sepia: ImageProcessing {
    var strength = 1.0

    func identify(in identity: inout ProcessorIdentity) { identity.add(strength) }

    func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try picture.mapPixels(context) { pixel in
            let grey = (Double(pixel.x) + Double(pixel.y) + Double(pixel.z)) / 3
            let sepia = SIMD4(min(grey * 1.1, Double(pixel.w)), grey * 0.95, grey * 0.8, Double(pixel.w))
            let mixed = SIMD4<Double>(pixel) * (1 - strength) + sepia * strength
            return SIMD4<UInt8>(mixed, rounding: .toNearestOrEven)
        }
    }
}
// endregion

/// The listings about processing, one function for each.
enum Processing {
    static func avatar(_ url: URL, with loader: ImageLoader) async throws(ImageLoaderError) -> DecodedImage {
        // region: processors
        var request = ImageRequest(url: url)
        request.processors = [.resize(to: PixelSize(width: 200, height: 200), mode: .fill), .circle()]
        let avatar = try await loader.image(for: request)
        // endregion
        return avatar
    }

    static func sepia(_ url: URL) -> ImageRequest {
        // region: own-processor-use
        var request = ImageRequest(url: url)
        request.processors = [Sepia(strength: 0.8)]
        // endregion
        return request
    }
}
