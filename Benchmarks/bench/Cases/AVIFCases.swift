#if os(Linux) && AVIF
import Alcedo
import CAvif
import Foundation

/// AVIF, compared with libavif's own calls, which allocate their memory too.
enum AVIFCases {
    static let all: [BenchCase] = [
        .timed(
            "decode/avif-12mp", target: 1.1, ours: { try .decodes(file(), AVIFDecoder()) },
            baseline: .init("libavif to RGBA") { try bareDecodes() }),
        .timed(
            "encode/avif-3mp", target: 1.1, iterationsPerSample: 1, ours: { try encodes() },
            baseline: .init("libavif of RGBA") { try bareEncodes() }),
    ]

    // MARK: Decoding

    static func file() throws -> Data {
        try AVIFEncoder(quality: 60, speed: 10).encode(PhotoPicture.make(width: 4_000, height: 3_000))
    }

    private static func bareDecodes() throws -> Workload {
        let file = try file()
        return Workload { iterations in
            for _ in 0..<iterations {
                let isDone = file.withUnsafeBytes { decode($0.bindMemory(to: UInt8.self)) }
                guard isDone else { throw BenchError("libavif decodes nothing") }
            }
        }
    }

    private static func decode(_ file: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let decoder = avifDecoderCreate() else { return false }
        defer { avifDecoderDestroy(decoder) }
        decoder.pointee.maxThreads = 1
        guard avifDecoderSetIOMemory(decoder, file.baseAddress, file.count) == AVIF_RESULT_OK,
            avifDecoderParse(decoder) == AVIF_RESULT_OK, avifDecoderNextImage(decoder) == AVIF_RESULT_OK
        else { return false }
        var pixels = avifRGBImage()
        avifRGBImageSetDefaults(&pixels, decoder.pointee.image)
        pixels.depth = 8
        avifRGBImageAllocatePixels(&pixels)
        defer { avifRGBImageFreePixels(&pixels) }
        return avifImageYUVToRGB(decoder.pointee.image, &pixels) == AVIF_RESULT_OK
    }

    // MARK: Encoding

    private static func encodes() throws -> Workload {
        let picture = try picture()
        return Workload { iterations in
            for _ in 0..<iterations { blackHole(try AVIFEncoder(speed: 8).encode(picture)) }
        }
    }

    private static func picture() throws -> Bitmap { try PhotoPicture.make(width: 2_000, height: 1_500) }

    private static func bareEncodes() throws -> Workload {
        let picture = try picture()
        return Workload { iterations in
            for _ in 0..<iterations {
                let isDone = picture.withBytes { $0.withUnsafeBytes { encode($0, picture.size) } }
                guard isDone else { throw BenchError("libavif encodes nothing") }
            }
        }
    }

    private static func encode(_ pixels: UnsafeRawBufferPointer, _ size: PixelSize) -> Bool {
        guard
            let image = avifImageCreate(UInt32(size.width), UInt32(size.height), 8, AVIF_PIXEL_FORMAT_YUV420),
            let encoder = avifEncoderCreate()
        else { return false }
        defer {
            avifImageDestroy(image)
            avifEncoderDestroy(encoder)
        }
        // The same mixture of luminance and color as in JPEG, for which libavif has a fast path.
        image.pointee.matrixCoefficients = avifMatrixCoefficients(AVIF_MATRIX_COEFFICIENTS_BT601)
        var source = avifRGBImage()
        avifRGBImageSetDefaults(&source, image)
        source.ignoreAlpha = AVIF_TRUE
        source.rowBytes = UInt32(size.width * 4)
        source.pixels = UnsafeMutablePointer(mutating: pixels.bindMemory(to: UInt8.self).baseAddress)
        encoder.pointee.speed = 8
        alcedo_avif_set_quality(encoder, 60, 100)
        var output = avifRWData()
        defer { avifRWDataFree(&output) }
        return avifImageRGBToYUV(image, &source) == AVIF_RESULT_OK
            && avifEncoderWrite(encoder, image, &output) == AVIF_RESULT_OK
    }
}
#else
/// libavif is used on Linux only.
enum AVIFCases {
    static let all: [BenchCase] = []
}
#endif
