import Alcedo
import CCodecLoops
import Foundation

/// Whole images, compared with the C libraries' own loops, which overwrite one buffer repeatedly.
enum DecodeCases {
    #if os(Linux) && JPEG && PNG
    static let all: [BenchCase] = [
        .timed(
            "decode/jpeg-12mp-reused", target: 1.05, ours: { try .decodes(PhotoFile.large.jpeg(), JPEGDecoder()) },
            baseline: .init("libjpeg into one buffer") { try jpegLoop() }),
        .timed(
            "decode/jpeg-12mp-fresh", target: 1.2, ours: { try decodesBesideTheLast(PhotoFile.large.jpeg()) },
            baseline: .init("libjpeg into one buffer") { try jpegLoop() }),
        .timed(
            "decode/jpeg-12mp-first", ours: { try firstDecodes(PhotoFile.large.jpeg()) },
            baseline: .init("libjpeg into one buffer") { try jpegLoop() }),
        .timed(
            "decode/png-3mp", target: 1.05, ours: { try .decodes(PhotoFile.middle.png(), PNGDecoder()) },
            baseline: .init("libpng into one buffer") { try pngLoop() }),
        .peak(
            "decode/jpeg-12mp-peak", target: 1, prepare: { try jpeg.write(to: $0) }, ours: { try decode(jpeg, in: $0) },
            baseline: .child("bitmap, file and 4 MB") {
                try jpeg.hold(in: $0, and: PhotoFile.large.bitmapBytes + 4_000_000)
            }),
        .peak(
            "decode/jpeg-12mp-progressive-peak", target: 1, prepare: { try progressive.write(to: $0) },
            ours: { try decode(progressive, in: $0) },
            baseline: .child("bitmap, coefficients, file and 4 MB") {
                let photo = PhotoFile.large
                try progressive.hold(in: $0, and: photo.bitmapBytes + photo.coefficientBytes + 4_000_000)
            }),
    ]

    private static let jpeg = SampleFile(name: "photo.jpg") { try PhotoFile.large.jpeg() }
    private static let progressive = SampleFile(name: "photo.jpg") { try PhotoFile.large.jpeg(isProgressive: true) }

    /// Each image is released when the next one is ready, as in an app that shows one after the other.
    private static func decodesBesideTheLast(_ file: Data) throws -> Workload {
        let decoder = JPEGDecoder()
        let last = Kept<DecodedImage>()
        return Workload { iterations in
            for _ in 0..<iterations { last.keep(try decoder.decode(file, DecodeRequest())) }
        }
    }

    /// All images are retained, so none is decoded into the memory of an earlier one. An untimed decode takes the
    /// memory of the previous sample's images.
    private static func firstDecodes(_ file: Data) throws -> Workload {
        let decoder = JPEGDecoder()
        let kept = Kept<[DecodedImage]>()
        return Workload(prepare: { _ in
            blackHole(kept.take())
            kept.keep([try decoder.decode(file, DecodeRequest())])
        }) { iterations in
            var pictures = kept.take() ?? []
            for _ in 0..<iterations { pictures.append(try decoder.decode(file, DecodeRequest())) }
            kept.keep(pictures)
        }
    }

    private static func jpegLoop() throws -> Workload {
        .loop(try PhotoFile.large.jpeg(), PhotoFile.large.bitmapBytes, jpeg_loop_decode)
    }

    private static func pngLoop() throws -> Workload {
        .loop(try PhotoFile.middle.png(), PhotoFile.middle.bitmapBytes, png_loop_decode)
    }

    private static func decode(_ file: SampleFile, in folder: String) throws {
        blackHole(try ImageDecoders.builtIn.decode(try file.read(in: folder)))
    }
    #else
    static let all: [BenchCase] = []
    #endif
}
