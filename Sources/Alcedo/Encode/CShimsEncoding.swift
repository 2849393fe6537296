#if os(Linux) && (JPEG || PNG)
import CShims
import Foundation

/// One of the shim's two encode functions, without its settings.
private typealias Encode = (
    _ pixels: UnsafePointer<UInt8>?, _ width: UInt32, _ height: UInt32,
    _ output: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, _ count: UnsafeMutablePointer<Int>,
    _ message: UnsafeMutablePointer<alcedo_message>
) -> alcedo_status

extension Bitmap {
    /// Runs `encode`; the returned data takes ownership of the bytes without copying.
    fileprivate func encoded(as format: ImageFormat, by encode: Encode) throws(ImageLoaderError) -> Data {
        var output: UnsafeMutablePointer<UInt8>?
        var count = 0
        var message = alcedo_message()
        let status = withUnsafeBytes { pixels in
            encode(
                pixels.bindMemory(to: UInt8.self).baseAddress, UInt32(clamping: size.width),
                UInt32(clamping: size.height), &output, &count, &message)
        }
        guard status == alcedo_done, let output else { throw .encodingFailed(format, reason: message.reason) }
        return Data(bytesNoCopy: output, count: count, deallocator: .free)
    }
}

#if JPEG
extension JPEGEncoder {
    func compress(_ bitmap: Bitmap, _ profile: Data?) throws(ImageLoaderError) -> Data {
        let file = try bitmap.encoded(as: .jpeg) { pixels, width, height, output, count, message in
            alcedo_jpeg_encode(pixels, width, height, Int32(quality), isProgressive ? 1 : 0, output, count, message)
        }
        return profile.map { Self.embedded($0, in: file) } ?? file
    }
}
#endif

#if PNG
extension PNGEncoder {
    func compress(_ bitmap: Bitmap, _ profile: Data?) throws(ImageLoaderError) -> Data {
        let file = try bitmap.encoded(as: .png) { pixels, width, height, output, count, message in
            alcedo_png_encode(pixels, width, height, Int32(compressionLevel), output, count, message)
        }
        guard let profile else { return file }
        guard let whole = PNGProfile.embedded(profile, in: file, limits: .unlimited) else {
            throw .encodingFailed(.png, reason: "the colour profile can't be packed")
        }
        return whole
    }
}
#endif
#endif
