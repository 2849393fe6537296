import Foundation

@testable import Alcedo

/// The readers of heads and metadata, without the codecs: short runs, and many of them.
enum MetadataRun {
    static func run(_ input: Data) {
        var limits = DecodeLimits()
        limits.metadataBytes = 1 << 12
        limits.frames = 20
        limits.jpegScans = 10
        let bytes = [UInt8](input)
        _ = Orientation(exif: bytes.span)
        _ = ImageFormat(sniffing: input)
        _ = ContentDescription(of: input).text
        for format in formats {
            attempt { () throws(ImageLoaderError) in try check(ImageMetadata(of: Data(format) + input, limits: limits))
            }
        }
        // Behind what each format begins with, which the fuzzer need not find.
        attempt { () throws(ImageLoaderError) in try jpeg(Data([0xFF, 0xD8]) + input, limits) }
        attempt { () throws(ImageLoaderError) in try png(Data(signature) + input, limits) }
        attempt { () throws(ImageLoaderError) in
            _ = try WebPDecoder().header(
                of: Data("RIFF".utf8) + input.prefix(4) + Data("WEBP".utf8) + input, limits: limits)
        }
        attempt { () throws(ImageLoaderError) in
            _ = try GIFDecoder().header(of: Data("GIF89a".utf8) + input, limits: limits)
        }
        attempt { () throws(ImageLoaderError) in _ = try PNGProfile.unpacked(input, limits: limits) }
    }

    /// No Data: what that holds in a global the leak detector takes for lost.
    private static let signature: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)

    /// What files begin with, up to the first part that may hold metadata, or nothing.
    private static let formats: [[UInt8]] = [
        [], [0xFF, 0xD8, 0xFF, 0xE1], [0xFF, 0xD8, 0xFF, 0xE1, 0x02, 0] + Array("Exif\0\0II*\0".utf8),
        [0xFF, 0xD8, 0xFF, 0xE1, 0x02, 0] + Array("http://ns.adobe.com/xap/1.0/\0".utf8),
        [0xFF, 0xD8, 0xFF, 0xE2, 0x02, 0] + Array("MPF\0MM\0*".utf8), signature + [UInt8](repeating: 1, count: 17),
        Array("RIFF\0\0\0\0WEBPVP8X\u{0A}\0\0\0\u{0C}".utf8) + [UInt8](repeating: 0, count: 9),
        [0, 0, 0, 16] + Array("ftypheic\0\0\0\0".utf8), [0, 0, 0, 12] + Array("JXL ".utf8) + [13, 10, 0x87, 10],
    ]

    private static func check(_ metadata: ImageMetadata) {
        if let place = metadata.location { precondition(abs(place.latitude) <= 90 && abs(place.longitude) <= 180) }
        precondition((1...32).contains(metadata.pictureCount))
        precondition([metadata.exposure.time, metadata.exposure.fNumber].allSatisfy { $0?.isFinite ?? true })
        _ = metadata.captureDate.map { "\($0)" }
    }

    private static func attempt(_ body: () throws(ImageLoaderError) -> Void) {
        do { try body() } catch { precondition(error != .cancelled && !"\(error)".isEmpty) }
    }

    private static func jpeg(_ data: Data, _ limits: DecodeLimits) throws(ImageLoaderError) {
        let markers = try JPEGMarkers(scanning: data.span, limits: limits)
        for profile in [markers.profile(in: data.span), markers.inkProfile(in: data.span)] {
            // A profile for other colors than those of the pixels is dropped.
            precondition(profile == nil || profile?.count == markers.profileBytes, "a profile of another length")
        }
        precondition(markers.coefficientBytes >= 0)
    }

    private static func png(_ data: Data, _ limits: DecodeLimits) throws(ImageLoaderError) {
        let chunks = try PNGChunks(scanning: data.span, limits: limits)
        if let profile = chunks.profile { precondition(data.indices.contains(profile.upperBound - 1)) }
        let mended = PNGRepair.mended(data, renumbering: true)
        guard let index = APNGIndex(scanning: mended.span, size: chunks.size, limit: limits.frames) else { return }
        for frame in index.frames { _ = index.file(of: frame, in: Data(mended)) }
    }
}
