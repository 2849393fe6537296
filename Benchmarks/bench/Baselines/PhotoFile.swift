import Alcedo
import CCodecLoops
import Foundation

/// Files of a photo-like image, written with the C libraries, independently of the choices of Alcedo's encoders.
struct PhotoFile: Sendable {
    let width: Int
    let height: Int

    /// The size of a camera's photo shown on a phone.
    static let large = PhotoFile(width: 4_000, height: 3_000)
    static let middle = PhotoFile(width: 2_000, height: 1_500)

    var bitmapBytes: Int { width * height * 4 }

    /// The additional memory for a progressive JPEG with subsampled colors: two bytes per sample.
    var coefficientBytes: Int { width * height * 3 }

    /// A JPEG of quality 85, with subsampled colors.
    func jpeg(isProgressive: Bool = false) throws -> Data { try jpeg(of: rgb(), isProgressive: isProgressive) }

    func jpeg(of rgb: [UInt8], isProgressive: Bool = false) throws -> Data {
        try data { jpeg_loop_encode(rgb, UInt32(width), UInt32(height), 85, isProgressive, &$0, &$1) }
    }

    /// A PNG without alpha, compressed as libpng does by default.
    func png(of rgb: [UInt8]) throws -> Data {
        try data { png_loop_encode(rgb, UInt32(width), UInt32(height), false, 6, &$0, &$1) }
    }

    func rgb() throws -> [UInt8] {
        try PhotoPicture.make(width: width, height: height).withBytes { bytes in
            bytes.withUnsafeBytes { bytes in
                [UInt8](unsafeUninitializedCapacity: width * height * 3) { rgb, count in
                    for pixel in 0..<width * height {
                        for channel in 0..<3 { rgb[pixel * 3 + channel] = bytes[pixel * 4 + channel] }
                    }
                    count = width * height * 3
                }
            }
        }
    }

    /// A PNG with an alpha channel. The image fades out on the left, in a hundredth of its width.
    func png() throws -> Data {
        let picture = try PhotoPicture.make(width: width, height: height)
        let rgba = picture.withBytes { bytes in
            bytes.withUnsafeBytes { bytes in
                var rgba = Array(bytes)
                for row in 0..<height {
                    for x in 0..<width / 100 { rgba[(row * width + x) * 4 + 3] = UInt8(x * 25_500 / width) }
                }
                return rgba
            }
        }
        return try data { png_loop_encode(rgba, UInt32(width), UInt32(height), true, 6, &$0, &$1) }
    }

    /// A file without alpha, written by a C library's encoder.
    func encoded(
        _ encode: (
            [UInt8], _ width: UInt32, _ height: UInt32, inout UnsafeMutablePointer<UInt8>?, inout Int
        ) -> Bool
    ) throws -> Data {
        let rgb = try rgb()
        return try data { encode(rgb, UInt32(width), UInt32(height), &$0, &$1) }
    }

    private func data(
        _ encode: (inout UnsafeMutablePointer<UInt8>?, inout Int) -> Bool
    ) throws -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        let isDone = encode(&bytes, &count)
        defer { free(bytes) }
        guard isDone, let bytes else { throw BenchError("the C library encodes nothing") }
        return Data(bytes: bytes, count: count)
    }
}
