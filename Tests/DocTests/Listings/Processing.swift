import Alcedo
import Foundation

// region: own-processor
struct Sepia: ImageProcessing {
    var strength = 1.0

    func identify(in identity: inout ProcessorIdentity) {
        identity.add(1)  // The version.
        identity.add(strength)
    }

    func validate() throws(ImageLoaderError) {
        guard (0...1).contains(strength) else {
            throw .invalidProcessor(
                "Sepia", parameter: "strength", value: "\(strength)")
        }
    }

    func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try image.mapPixels(context) { pixel in
            let (colors, alpha) = (SIMD4<Double>(pixel), Double(pixel.w))
            let gray = (colors.x + colors.y + colors.z) / 3
            let sepia = SIMD4(gray * 1.1, gray * 0.95, gray * 0.8, alpha)
            let mixed = colors * (1 - strength) + sepia * strength
            let limited = mixed.clamped(
                lowerBound: .zero, upperBound: SIMD4(repeating: alpha))
            return SIMD4<UInt8>(limited, rounding: .toNearestOrEven)
        }
    }
}
// endregion

// region: waiting-processor
struct WithoutBackground: AsyncImageProcessing {
    let version: Int
    let cutOut: @Sendable (Bitmap) async throws -> Bitmap

    func identify(in identity: inout ProcessorIdentity) { identity.add(version) }

    func result(
        of bitmap: Bitmap, _ context: ProcessingContext
    ) async throws -> Bitmap {
        try await cutOut(bitmap)
    }
}
// endregion

/// The listings about processing, one function for each.
enum Processing {
    static func avatar(_ url: URL, with loader: ImageLoader) async throws(ImageLoaderError) -> DecodedImage {
        // region: processors
        var request = ImageRequest(url: url)
        request.processors = [
            .resize(to: PixelSize(width: 200, height: 200), mode: .fill), .circle(),
        ]
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
