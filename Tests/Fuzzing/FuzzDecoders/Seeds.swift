import Alcedo
import Foundation

/// Small files of each format, for the fuzzer to begin with where there is no corpus.
enum Seeds {
    static func write(to folder: URL) throws {
        let (clear, solid) = (try picture(13, 9, isOpaque: false), try picture(24, 17, isOpaque: true))
        let frames = try (0..<4).map { AnimationFrame(try picture(8, 6, $0), delay: .milliseconds(20 + $0)) }
        let still: [(String, any ImageEncoding)] = [
            ("jpeg", JPEGEncoder()), ("png", PNGEncoder()), ("gif", GIFEncoder()), ("webp", WebPEncoder()),
            ("webp", WebPEncoder(.lossless)),
        ]
        for (number, (target, encoder)) in still.enumerated() {
            for (name, picture) in [("solid", solid), ("clear", clear)] {
                let file = try encoder.encode(picture)
                for place in [target, "preview"] { try write(file, folder, place, "\(target)-\(name)-\(number)") }
            }
        }
        let moving: [(String, any AnimationEncoding)] = [
            ("apng", PNGEncoder()), ("gif", GIFEncoder()), ("webp", WebPEncoder()),
        ]
        for (target, encoder) in moving { try write(encoder.encode(frames), folder, target, "moving") }
        try writeBitmaps(to: folder)
        for (number, endian) in ["II*\0\u{8}\0\0\0\u{1}\0\u{12}\u{1}\u{3}\0\u{1}\0\0\0\u{6}\0\0\0", "MM\0*"]
            .enumerated()
        {
            try write(Data(endian.utf8), folder, "metadata", "exif-\(number)")
        }
    }

    /// Two pixels of 24 bits, and the same as an icon.
    private static func writeBitmaps(to folder: URL) throws {
        func header(height: UInt8) -> [UInt8] {
            [40, 0, 0, 0, 2, 0, 0, 0, height, 0, 0, 0, 1, 0, 24, 0] + [UInt8](repeating: 0, count: 24)
        }
        let pixels: [UInt8] = [1, 2, 3, 4, 5, 6, 0, 0]
        let start: [UInt8] = Array("BM".utf8) + [62, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0]
        try write(Data(start + header(height: 1) + pixels), folder, "bmp", "plain")
        let directory: [UInt8] = [0, 0, 1, 0, 1, 0, 2, 1, 0, 0, 1, 0, 24, 0, 52, 0, 0, 0, 22, 0, 0, 0]
        try write(Data(directory + header(height: 2) + pixels + [64, 0, 0, 0]), folder, "ico", "plain")
    }

    private static func write(_ data: Data, _ folder: URL, _ target: String, _ name: String) throws {
        let place = folder.appending(path: target)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try data.write(to: place.appending(path: name))
    }

    private static func picture(_ width: Int, _ height: Int, _ seed: Int = 0, isOpaque: Bool = true) throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            for index in 0..<width * height {
                let alpha: UInt8 = isOpaque ? 255 : UInt8(index * 5 % 256)
                let color = min(alpha, UInt8((index * 7 + seed * 31) % 256))
                bytes.storeBytes(
                    of: [color, color / 2, 3 & alpha, alpha], toByteOffset: index * 4, as: SIMD4<UInt8>.self)
            }
        }
        return builder.freeze()
    }
}
