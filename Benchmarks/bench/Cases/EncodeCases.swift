import Alcedo
import CCodecLoops
import Foundation

#if os(Linux) && WebP
import CWebP
#endif

/// Photos, compared with the C libraries' own loops over rows that already have the layout of the file.
enum EncodeCases {
    #if os(Linux) && JPEG && PNG && WebP
    static let all: [BenchCase] = [
        .timed(
            "encode/jpeg-12mp", target: 1.1, ours: { try encodes(.large, JPEGEncoder()) },
            baseline: .init("libjpeg of RGB") { try loop(.large) { try $0.jpeg(of: $1) } }),
        .timed(
            "encode/jpeg-12mp-progressive", target: 1.1, ours: { try encodes(.large, progressive) },
            baseline: .init("libjpeg of RGB") { try loop(.large) { try $0.jpeg(of: $1, isProgressive: true) } }),
        .timed(
            "encode/png-3mp", target: 1.1, ours: { try encodes(.middle, PNGEncoder()) },
            baseline: .init("libpng of RGB") { try loop(.middle) { try $0.png(of: $1) } }),
        .timed(
            "encode/webp-3mp", target: 1.1, ours: { try encodes(.middle, WebPEncoder()) },
            baseline: .init("WebPEncodeRGB") { try loop(.middle, webP) }),
        .timed(
            "encode/webp-3mp-automatic", target: 1.1,
            ours: { try encodes(.middle, WebPEncoder(.automatic(quality: 80))) },
            baseline: .init("WebPEncodeRGB") { try loop(.middle, webP) }),
    ]

    private static var progressive: JPEGEncoder {
        var encoder = JPEGEncoder()
        encoder.isProgressive = true
        return encoder
    }

    private static func encodes(_ photo: PhotoFile, _ encoder: some ImageEncoding) throws -> Workload {
        let bitmap = try PhotoPicture.make(width: photo.width, height: photo.height)
        return Workload { iterations in
            for _ in 0..<iterations { blackHole(try encoder.encode(bitmap)) }
        }
    }

    private static func loop(
        _ photo: PhotoFile, _ encode: @escaping @Sendable (PhotoFile, [UInt8]) throws -> Data
    ) throws -> Workload {
        let rgb = try photo.rgb()
        return Workload { iterations in
            for _ in 0..<iterations { blackHole(try encode(photo, rgb)) }
        }
    }

    private static func webP(_ photo: PhotoFile, _ rgb: [UInt8]) -> Data {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = WebPEncodeRGB(rgb, Int32(photo.width), Int32(photo.height), Int32(photo.width * 3), 80, &bytes)
        defer { WebPFree(bytes) }
        return bytes.map { Data(bytes: $0, count: count) } ?? Data()
    }
    #else
    static let all: [BenchCase] = []
    #endif
}
