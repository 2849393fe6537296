#if os(Linux) && WebP
import CWebP
import Foundation

extension WebPEncoder {
    /// Encodes a bitmap whose size WebP supports, with valid settings.
    func compress(_ bitmap: Bitmap) throws(ImageLoaderError) -> Data {
        var picture = WebPPicture()
        guard var config = config(), WebPPictureInit(&picture) != 0 else {
            throw .encodingFailed(.webp, reason: "libwebp refuses the settings")
        }
        defer { WebPPictureFree(&picture) }
        picture.use_argb = 1
        picture.width = Int32(clamping: bitmap.size.width)
        picture.height = Int32(clamping: bitmap.size.height)
        guard WebPPictureAlloc(&picture) != 0 else { throw .encodingFailed(.webp, reason: "no memory") }
        bitmap.copyStraight(to: picture.argb, pixelsPerRow: Int(picture.argb_stride))
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        picture.writer = WebPMemoryWrite
        let isDone = withUnsafeMutablePointer(to: &writer) { writer in
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return WebPEncode(&config, &picture) != 0
        }
        guard isDone, let bytes = writer.mem else {
            WebPMemoryWriterClear(&writer)
            throw .encodingFailed(.webp, reason: "libwebp's error \(picture.error_code.rawValue)")
        }
        return Data(bytesNoCopy: bytes, count: writer.size, deallocator: .custom { bytes, _ in WebPFree(bytes) })
    }

    private func config() -> WebPConfig? {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else { return nil }
        switch compression {
        case .lossy(let quality):
            config.quality = Float(quality)
            config.method = Int32(effort)
        case .lossless:
            // Lossless levels range from 0 to 9.
            guard WebPConfigLosslessPreset(&config, Int32(effort * 9 / 6)) != 0 else { return nil }
        }
        return config
    }
}

extension Bitmap {
    /// Writes the pixels as numbers of alpha, red, green and blue with straight colours.
    fileprivate func copyStraight(to target: UnsafeMutablePointer<UInt32>, pixelsPerRow: Int) {
        withBytes { bytes in
            bytes.withUnsafeBytes { bytes in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let pixel = bytes.loadUnaligned(
                            fromByteOffset: y * bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
                        target[y * pixelsPerRow + x] = pixel.straightColours
                    }
                }
            }
        }
    }
}

extension SIMD4<UInt8> {
    /// Divides red, green and blue by alpha, rounding to nearest: premultiplying them again restores the same values.
    fileprivate var straightColours: UInt32 {
        let alpha = UInt32(self[3])
        func straight(_ colour: UInt8) -> UInt32 {
            alpha == 255 ? UInt32(colour) : Swift.min(255, (UInt32(colour) * 255 + alpha / 2) / alpha)
        }
        if alpha == 0 { return 0 }
        return alpha << 24 | straight(self[0]) << 16 | straight(self[1]) << 8 | straight(self[2])
    }
}
#endif
