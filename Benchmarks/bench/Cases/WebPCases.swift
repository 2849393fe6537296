#if os(Linux) && WebP
import Alcedo
import CWebP
import Foundation

/// Lossy WebP of 12 megapixels, like a photo from a camera.
enum WebPCases {
    static let all: [BenchCase] = [
        .timed(
            "decode/webp-12mp", target: 1.05, ours: { try .decodes(file(), WebPDecoder()) },
            baseline: .init("WebPDecodeRGBA") { try bareDecodes() })
    ]

    /// Decodes with libwebp's own call, which allocates the memory too.
    private static func bareDecodes() throws -> Workload {
        let file = try file()
        return Workload { iterations in
            for _ in 0..<iterations {
                file.withUnsafeBytes { bytes in
                    let bytes = bytes.bindMemory(to: UInt8.self)
                    var (width, height): (Int32, Int32) = (0, 0)
                    let pixels = WebPDecodeRGBA(bytes.baseAddress, bytes.count, &width, &height)
                    blackHole(pixels)
                    WebPFree(pixels)
                }
            }
        }
    }

    static func file() throws -> Data {
        try WebPEncoder(.lossy(quality: 85), effort: 2).encode(PhotoPicture.make(width: 4_000, height: 3_000))
    }
}
#else
/// WebP is supported on Linux only.
enum WebPCases {
    static let all: [BenchCase] = []
}
#endif
