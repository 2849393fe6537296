import Alcedo
import Foundation

/// 12-megapixel files that are reduced to small images, compared with the program vipsthumbnail if it is installed.
enum ThumbnailCases {
    #if os(Linux) && JPEG && PNG
    static let all: [BenchCase] =
        (InstalledProgram.exists("vipsthumbnail") ? vips : []) + [
            // An error of 50 dB below the range is invisible.
            .counted("thumbnail/jpeg-12mp-error", target: -50, unit: .decibels) { try error() },
            .peak(
                "thumbnail/png-12mp-peak", target: 1,
                prepare: {
                    try png.write(to: $0)
                    try tinyPNG.write(to: $0)
                },
                ours: { blackHole(try small(png.read(in: $0))) },
                // Decodes something tiny first, to load the same code, whose memory isn't caused by the image.
                baseline: .child("its file and 2 MB") {
                    blackHole(try small(tinyPNG.read(in: $0)))
                    try png.hold(in: $0, and: 2_000_000)
                }),
        ]

    /// Each process makes several thumbnails, so that its start matters less.
    private static let vips: [BenchCase] =
        [
            thumbnails("thumbnail/jpeg-12mp", of: jpeg, 10, target: 0.75),
            thumbnails("thumbnail/jpeg-12mp-800", of: jpeg, 10, size: PixelSize(width: 800, height: 600), target: 0.6),
            .peak(
                "thumbnail/jpeg-12mp-peak", target: 0.8, prepare: { try write(jpeg, 10, to: $0) },
                ours: { try makeThumbnails(of: jpeg, 10, in: $0) }, baseline: vipsthumbnail(jpeg, 10)),
            // Both programs decode these formats in whole.
            thumbnails("thumbnail/png-12mp", of: png),
        ] + codecs + FormatCases.photos.map { thumbnails("thumbnail/\($0.name.dropFirst(6))-12mp", of: $0) }

    private static func thumbnails(
        _ name: String, of file: SampleFile, _ count: Int = 3, size: PixelSize = size, target: Double = 1.05
    ) -> BenchCase {
        .process(
            name, target: target, prepare: { try write(file, count, to: $0) },
            ours: { try makeThumbnails(of: file, count, size, in: $0) }, baseline: vipsthumbnail(file, count, size))
    }

    private static func vipsthumbnail(
        _ file: SampleFile, _ count: Int, _ size: PixelSize = size
    ) -> PeakCase.Baseline {
        .program("vipsthumbnail", path: "vipsthumbnail") { folder in
            (0..<count).map { path(of: file, $0, in: folder) }
                + ["--size", "\(size.width)x\(size.height)", "-o", folder + "theirs-%s.jpg[Q=85]"]
        }
    }

    /// The path of a copy. Copies are needed because vipsthumbnail decodes a file only once.
    private static func path(of file: SampleFile, _ number: Int, in folder: String) -> String {
        folder + "\(number)-\(file.name)"
    }

    private static func write(_ file: SampleFile, _ count: Int, to folder: String) throws {
        let data = try file.make()
        for number in 0..<count { try data.write(to: URL(filePath: path(of: file, number, in: folder))) }
    }

    private static let size = PixelSize(width: 400, height: 300)
    private static let jpeg = SampleFile(name: "photo.jpg") { try PhotoFile.large.jpeg() }
    private static let tinyPNG = SampleFile(name: "tiny.png") { try PhotoFile(width: 16, height: 16).png() }
    private static let png = SampleFile(name: "photo.png") { try PhotoFile.large.png() }

    private static func makeThumbnails(
        of sample: SampleFile, _ count: Int, _ size: PixelSize = size, in folder: String
    ) throws {
        for number in 0..<count {
            let picture = try small(Data(contentsOf: URL(filePath: path(of: sample, number, in: folder))), size)
            let file = try JPEGEncoder(quality: 85).encode(picture)
            try file.write(to: URL(filePath: folder + "ours-\(number).jpg"))
        }
    }

    #if WebP && AVIF
    private static let codecs = [
        thumbnails("thumbnail/webp-12mp", of: SampleFile(name: "photo.webp") { try WebPCases.file() }),
        thumbnails("thumbnail/avif-12mp", of: SampleFile(name: "photo.avif") { try AVIFCases.file() }),
    ]
    #else
    private static let codecs: [BenchCase] = []
    #endif

    private static func small(_ data: Data, _ size: PixelSize = size) throws -> DecodedImage {
        var request = DecodeRequest()
        request.target = DecodeTarget(size)
        return try ImageDecoders.builtIn.decode(data, request)
    }

    /// The error of the pixels, compared with a full decode that the reference implementation scales, in decibels of
    /// their range.
    private static func error() throws -> Measurement {
        let file = try jpeg.make()
        let exact = LanczosScaling.scale(try ImageDecoders.builtIn.decode(file).bitmap, to: size)
        let bitmap = try small(file).bitmap
        var sum = 0.0
        for (index, value) in exact.enumerated() {
            let pixel = index / 3
            let ours = bitmap[pixel % size.width, pixel / size.width][index % 3]
            let difference = Double(ours) - Double(max(0, min(255, value)).rounded())
            sum += difference * difference
        }
        var measurement = Measurement(ours: [10 * log10(sum / Double(exact.count) / (255 * 255))])
        measurement.isCounted = true
        return measurement
    }
    #else
    static let all: [BenchCase] = []
    #endif
}
