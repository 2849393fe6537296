import Alcedo
import CCodecLoops
import Foundation

/// Photos of 12 megapixels in the formats that are off by default, compared with the C libraries' own loops.
enum FormatCases {
    static let all: [BenchCase] = heic + jpegXL + tiff

    /// A photo in each of the optional formats that are built in.
    static var photos: [SampleFile] {
        var photos: [SampleFile] = []
        #if os(Linux) && HEIC
        photos.append(heicPhoto)
        #endif
        #if os(Linux) && JPEGXL
        photos.append(jpegXLPhoto)
        #endif
        #if os(Linux) && TIFF
        photos.append(SampleFile(name: "photo.tiff") { try tiff(compresses: true) })
        #endif
        return photos
    }

    #if os(Linux) && HEIC
    private static let heicPhoto = SampleFile(name: "photo.heic") {
        try PhotoFile.large.encoded { heic_loop_encode($0, $1, $2, &$3, &$4) }
    }
    private static let heic: [BenchCase] = [
        .timed(
            "decode/heic-12mp", target: 1.1, iterationsPerSample: 1,
            ours: { try .decodes(heicPhoto.make(), HEICDecoder()) },
            baseline: .init("libheif") { try .loop(heicPhoto.make(), PhotoFile.large.bitmapBytes, heic_loop_decode) })
    ]
    #else
    private static let heic: [BenchCase] = []
    #endif

    #if os(Linux) && JPEGXL
    private static let jpegXLPhoto = SampleFile(name: "photo.jxl") {
        try PhotoFile.large.encoded { jpegxl_loop_encode($0, $1, $2, &$3, &$4) }
    }
    private static let jpegXL: [BenchCase] = [
        .timed(
            "decode/jxl-12mp", target: 1.1, iterationsPerSample: 1,
            ours: { try .decodes(jpegXLPhoto.make(), JPEGXLDecoder()) },
            baseline: .init("libjxl into one buffer") {
                try .loop(jpegXLPhoto.make(), PhotoFile.large.bitmapBytes, jpegxl_loop_decode)
            })
    ]
    #else
    private static let jpegXL: [BenchCase] = []
    #endif

    #if os(Linux) && TIFF
    private static let tiff: [BenchCase] = [
        .timed(
            "decode/tiff-12mp", target: 1.1, ours: { try .decodes(tiff(compresses: true), TIFFDecoder()) },
            baseline: .init("libtiff into one buffer") { try tiffLoop(compresses: true) }),
        .timed(
            "decode/tiff-12mp-raw", target: 1.1, ours: { try .decodes(tiff(compresses: false), TIFFDecoder()) },
            baseline: .init("libtiff into one buffer") { try tiffLoop(compresses: false) }),
    ]

    private static func tiff(compresses: Bool) throws -> Data {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        return try Data(contentsOf: URL(filePath: tiff(in: directory, compresses: compresses)))
    }

    private static func tiff(in directory: TemporaryDirectory, compresses: Bool) throws -> String {
        let (photo, path) = (PhotoFile.large, directory.file("photo.tiff"))
        guard tiff_loop_write(path, try photo.rgb(), UInt32(photo.width), UInt32(photo.height), compresses) else {
            throw BenchError("libtiff writes nothing")
        }
        return path
    }

    private static func tiffLoop(compresses: Bool) throws -> Workload {
        let directory = try TemporaryDirectory()
        let path = try tiff(in: directory, compresses: compresses)
        let buffer = ReusedBuffer(bytes: PhotoFile.large.bitmapBytes)
        return Workload(tearDown: { directory.remove() }) { iterations in
            for _ in 0..<iterations {
                guard buffer.withBytes({ tiff_loop_decode(path, $0.baseAddress, $0.count) }) else {
                    throw BenchError("libtiff decodes nothing")
                }
            }
        }
    }
    #else
    private static let tiff: [BenchCase] = []
    #endif
}
