import Alcedo
import Foundation

/// A small part of a large JPEG, compared with the whole image.
enum RegionCases {
    #if os(Linux) && JPEG
    static let all: [BenchCase] = [
        region("middle", y: 5_500, target: 0.35),
        region("bottom", y: 11_000, target: 0.7),
        .peak(
            "decode/region-100mp-peak", target: 1, prepare: { try jpeg.write(to: $0) },
            ours: { blackHole(try decode(try jpeg.read(in: $0), y: 5_500)) },
            baseline: .child("file and 32 MB") { try jpeg.hold(in: $0, and: 32_000_000) }),
    ]

    private static let photo = PhotoFile(width: 8_400, height: 12_000)
    private static let jpeg = SampleFile(name: "large.jpg") { try makeJPEG() }

    /// A JPEG with the same image twice, one above the other.
    private static func makeJPEG() throws -> Data {
        let half = try PhotoFile(width: photo.width, height: photo.height / 2).rgb()
        return try photo.jpeg(of: half + half)
    }

    private static func region(_ name: String, y: Int, target: Double) -> BenchCase {
        .timed(
            "decode/region-100mp-\(name)", target: target,
            ours: {
                let file = try makeJPEG()
                return Workload { for _ in 0..<$0 { blackHole(try decode(file, y: y)) } }
            },
            baseline: .init("all pixels") {
                let file = try makeJPEG()
                var request = DecodeRequest()
                request.limits.bitmapBytes = photo.bitmapBytes
                return Workload { [request] in
                    for _ in 0..<$0 { blackHole(try JPEGDecoder().decode(file, request)) }
                }
            })
    }

    /// Decodes 1,000 × 1,000 pixels from the middle of the rows that begin at `y`.
    private static func decode(_ file: Data, y: Int) throws -> DecodedImage {
        let part = PixelRectangle(x: 3_700, y: y, width: 1_000, height: 1_000)
        return try JPEGDecoder().decode(file, DecodeRequest(target: DecodeTarget(part.size, region: part)))
    }
    #else
    static let all: [BenchCase] = []
    #endif
}
