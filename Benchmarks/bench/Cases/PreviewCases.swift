#if os(Linux) && JPEG
import Alcedo
import Foundation

/// Images that are decoded while they arrive.
enum PreviewCases {
    static let all: [BenchCase] = [
        .timed(
            "preview/jpeg-12-feeds", target: 1.2, ours: { try feeds() },
            baseline: .init("one decode") { try decodes() })
    ]

    private static let feedCount = 12

    /// Feeds a baseline file of 12 megapixels in twelve pieces of equal length. Each is decoded to the rows it
    /// contains.
    private static func feeds() throws -> Workload {
        let file = try file()
        let (decoder, request) = (JPEGDecoder(), DecodeRequest())
        let pieces = (0..<feedCount).map { index in
            Data(file[file.count * index / feedCount..<file.count * (index + 1) / feedCount])
        }
        return Workload { iterations in
            for _ in 0..<iterations {
                guard let header = try decoder.previewHeader(pieces[0], request) else { throw BenchError("no head") }
                let reader = try decoder.previewReader(pieces[0], header, request)
                for piece in pieces {
                    try piece.withUnsafeBytes { try reader.append($0, request.cancellation) }
                }
                blackHole(reader)
            }
        }
    }

    private static func decodes() throws -> Workload {
        let file = try file()
        let decoder = JPEGDecoder()
        return Workload { iterations in
            for _ in 0..<iterations { blackHole(try decoder.decode(file, DecodeRequest())) }
        }
    }

    private static func file() throws -> Data {
        try JPEGEncoder(quality: 85).encode(PhotoPicture.make(width: 4_000, height: 3_000))
    }
}
#else
/// Previews are supported on Linux only.
enum PreviewCases {
    static let all: [BenchCase] = []
}
#endif
