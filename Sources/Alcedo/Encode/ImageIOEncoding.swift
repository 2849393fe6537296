#if canImport(ImageIO)
import CoreGraphics
import Foundation
import ImageIO

extension JPEGEncoder {
    func compress(_ bitmap: Bitmap, _ profile: Data?) throws(ImageLoaderError) -> Data {
        let options: [CFString: Any] = [
            kCGImageDestinationLossyCompressionQuality: Double(quality) / 100,
            // The color that ImageIO blends transparent pixels over.
            kCGImageDestinationBackgroundColor: CGColor(red: 1, green: 1, blue: 1, alpha: 1),
            kCGImagePropertyJFIFDictionary: [kCGImagePropertyJFIFIsProgressive: isProgressive],
        ]
        return try bitmap.encoded(as: .jpeg, profile, type: "public.jpeg", options: options as CFDictionary)
    }
}

extension PNGEncoder {
    func compress(_ bitmap: Bitmap, _ profile: Data?, _: Data?) throws(ImageLoaderError) -> Data {
        let file = try bitmap.encoded(as: .png, profile, type: "public.png", options: nil)
        // PNG stores straight colors, and ImageIO may round in another way when it divides by alpha.
        if isExact, !bitmap.isOpaque, try !bitmap.isUnchanged(in: file, profile) {
            throw .encodingFailed(.png, reason: "ImageIO changes colors of transparent pixels")
        }
        return file
    }
}

extension Bitmap {
    fileprivate func encoded(
        as format: ImageFormat, _ profile: Data?, type: String, options: CFDictionary?
    ) throws(ImageLoaderError) -> Data {
        let file = NSMutableData()
        guard let image = cgImage(profile),
            let destination = CGImageDestinationCreateWithData(file as CFMutableData, type as CFString, 1, nil)
        else { throw .encodingFailed(format, reason: "ImageIO has no encoder to give") }
        CGImageDestinationAddImage(destination, image, options)
        guard CGImageDestinationFinalize(destination) else {
            throw .encodingFailed(format, reason: "ImageIO could not write the image")
        }
        return file as Data
    }

    /// Whether ImageIO decodes a file to the same pixels.
    fileprivate func isUnchanged(in file: Data, _ profile: Data?) throws(ImageLoaderError) -> Bool {
        guard let source = CGImageSourceCreateWithData(file as CFData, nil),
            let image = CGImageSourceCreateImageAtIndex(source, 0, nil), image.width == size.width,
            image.height == size.height
        else { return false }
        var builder = try BitmapBuilder(size: size, limits: .unlimited)
        guard builder.draw(image, in: profile) else { return false }
        return builder.freeze() == self
    }

    /// An image with the profile's color space, which ImageIO writes to the file; sRGB if ImageIO can't use the
    /// profile.
    private func cgImage(_ profile: Data?) -> CGImage? {
        let bytes = withUnsafeBytes { Data($0) }
        let own = profile.flatMap { CGColorSpace(iccData: $0 as CFData) }.flatMap { $0.model == .rgb ? $0 : nil }
        guard let provider = CGDataProvider(data: bytes as CFData),
            let colors = own ?? CGColorSpace(name: CGColorSpace.sRGB)
        else { return nil }
        let alpha = isOpaque ? CGImageAlphaInfo.noneSkipLast : .premultipliedLast
        return CGImage(
            width: size.width, height: size.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow,
            space: colors, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue),
            provider: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent)
    }
}
#endif
