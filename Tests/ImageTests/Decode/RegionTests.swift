#if os(Linux) && JPEG && PNG && GIF && WebP && AVIF && BMP
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Parts of pictures, decoded without the rest.
@Suite(.timeLimit(.minutes(2))) struct RegionTests {
    private static let picture: Bitmap? = try? Pictures.make(203, 151) { x, y in
        let noise = UInt8(truncatingIfNeeded: (x &* 7_919 &+ y &* 104_729) >> 3 & 31)
        return [UInt8(x) &+ noise, UInt8(y) &+ noise, x / 9 % 2 == y / 9 % 2 ? 200 : 40, 255]
    }

    private static let files: [(name: String, make: @Sendable (Bitmap) throws -> Data)] = [
        ("JPEG 4:2:0", { try JPEGEncoder(quality: 90).encode($0) }),
        ("JPEG 4:4:4", { try jpeg($0) { $0.subsampling = .yuv444 } }),
        ("progressive JPEG", { try jpeg($0) { $0.isProgressive = true } }),
        ("JPEG with restarts", { try jpeg($0) { $0.restartRows = 1 } }),
        ("gray JPEG", { try JPEGEncoder(quality: 90).encode($0.gray) }),
        ("PNG", { try PNGEncoder().encode($0) }),
        ("PNG with alpha", { try PNGEncoder().encode($0.faded) }),
        ("lossy WebP", { try WebPEncoder().encode($0) }),
        ("lossy WebP with alpha", { try WebPEncoder().encode($0.faded) }),
        ("lossless WebP", { try WebPEncoder(.lossless).encode($0) }),
        ("GIF", { try GIFEncoder().encode($0) }),
        ("AVIF", { try AVIFEncoder().encode($0) }),
        ("BMP", { $0.bmp(topDown: false) }),
        ("BMP from the top", { $0.bmp(topDown: true) }),
        ("interlaced PNG", { _ in PNGFixture.interlaced(203, 151).data }),
    ]

    private static func jpeg(_ picture: Bitmap, _ change: (inout JPEGEncoder) -> Void) throws -> Data {
        var encoder = JPEGEncoder(quality: 90)
        change(&encoder)
        return try encoder.encode(picture)
    }

    private static let parts = [
        PixelRectangle(x: 0, y: 0, width: 40, height: 30), PixelRectangle(x: 17, y: 33, width: 1, height: 1),
        PixelRectangle(x: 33, y: 17, width: 64, height: 64), PixelRectangle(x: 95, y: 101, width: 108, height: 50),
        PixelRectangle(x: 202, y: 150, width: 1, height: 1), PixelRectangle(x: 0, y: 70, width: 203, height: 9),
        PixelRectangle(x: 101, y: 0, width: 7, height: 151),
    ]

    private func decode(_ file: Data, _ target: DecodeTarget?) throws -> DecodedImage {
        try ImageDecoders.builtIn.decode(file, DecodeRequest(target: target))
    }

    @Test(arguments: files.indices) func part_isThatOfTheWhole(_ index: Int) throws {
        let (name, make) = Self.files[index]
        let file = try make(#require(Self.picture))
        let whole = try decode(file, nil)
        for part in Self.parts {
            let image = try decode(file, DecodeTarget(part.size, region: part))
            #expect(image.bitmap == (try whole.bitmap.part(part)), "\(name): \(part)")
            #expect(image.originalSize == whole.originalSize)
        }
    }

    @Test(arguments: files.indices) func scaledPart_isThatOfTheWhole_scaled(_ index: Int) throws {
        let (name, make) = Self.files[index]
        let file = try make(#require(Self.picture))
        let whole = try decode(file, nil)
        let reduces = name.contains("JPEG")
        for part in Self.parts where part.size.width > 8 && part.size.height > 8 {
            for divisor in [2, 3, 4, 7, 8] {
                let size = PixelSize(
                    width: max(1, part.size.width / divisor), height: max(1, part.size.height / divisor))
                let target = DecodeTarget(size, mode: .fill, region: part)
                let shown = target.plan(for: whole.size).size
                let expected = try whole.bitmap.part(part).scaled(to: shown, limits: .unlimited)
                let image = try decode(file, target)
                #expect(image.size == shown)
                let difference = try #require(image.bitmap.meanDifference(from: expected))
                #expect(difference <= (reduces ? 4 : 0), "\(name): \(part) by \(divisor): \(difference)")
            }
        }
    }

    @Test func part_isMeasuredUpright() throws {
        let jpeg = try JPEGEncoder(quality: 90).encode(try #require(Self.picture))
        for orientation in Orientation.allCases {
            let file = JPEGFixture.adding(exif: EXIFFixture(orientation: UInt16(orientation.rawValue)).bytes, to: jpeg)
            let whole = try decode(file, nil)
            for part in Self.parts {
                let part = orientation.swapsSides ? PixelRectangle(part.rows, part.columns) : part
                let image = try decode(file, DecodeTarget(part.size, region: part))
                #expect(image.bitmap == (try whole.bitmap.part(part)), "\(orientation): \(part)")
            }
        }
    }

    /// An icon has no orientation, even if a picture in it claims one.
    @Test(arguments: Orientation.allCases) func partOfIcon_isMeasuredAsStored(_ orientation: Orientation) throws {
        let png = try PNGEncoder().encode(try #require(Self.picture).part(.init(x: 0, y: 0, width: 100, height: 60)))
        let exif = EXIFFixture(orientation: UInt16(orientation.rawValue)).bytes
        let turned = png.prefix(33) + PNGFixture.chunk("eXIf", exif) + png.dropFirst(33)
        let entry: [UInt8] = [100, 60, 0, 0, 1, 0, 32, 0] + PNGFixture.long(turned.count).reversed() + [22, 0, 0, 0]
        let icon = Data([0, 0, 1, 0, 1, 0] + entry + turned)
        let whole = try decode(icon, nil)
        #expect(whole.size == PixelSize(width: 100, height: 60))
        for part in Self.parts where part.x < 100 && part.y < 60 {
            let shown = try #require(part.clipped(to: whole.size))
            let image = try decode(icon, DecodeTarget(part.size, region: part))
            #expect(image.bitmap == (try whole.bitmap.part(shown)), "\(part)")
        }
    }

    @Test func largePictureOfWebP_isLimitedAsAWhole() throws {
        let file = try WebPEncoder(.lossless).encode(try #require(Self.picture))
        let part = PixelRectangle(x: 0, y: 0, width: 9, height: 9)
        var request = DecodeRequest(target: DecodeTarget(part.size, region: part))
        request.limits.bitmapBytes = 203 * 151 * 4 - 1
        let error = ImageLoaderError.limitExceeded(
            .bitmapBytes, value: 203 * 151 * 4, allowed: request.limits.bitmapBytes)
        #expect(throws: error) { try ImageDecoders.builtIn.decode(file, request) }
    }

    @Test func partBeyondTheSides_isCut_andOneOutside_isRefused() throws {
        let file = try PNGEncoder().encode(try #require(Self.picture))
        let part = PixelRectangle(x: 190, y: 140, width: .max, height: 500)
        let image = try decode(file, DecodeTarget(PixelSize(width: 100, height: 100), region: part))
        #expect(image.size == PixelSize(width: 13, height: 11))
        for outside in [
            PixelRectangle(x: 203, y: 0, width: 5, height: 5), PixelRectangle(x: 0, y: .max, width: 1, height: 1),
            PixelRectangle(x: -9, y: 0, width: 9, height: 9), PixelRectangle(x: 0, y: 0, width: 0, height: 4),
        ] {
            let error = #expect(throws: ImageLoaderError.self) {
                try decode(file, DecodeTarget(PixelSize(width: 9, height: 9), region: outside))
            }
            #expect(error == .unsupportedConfiguration("a region of \(outside), outside the image of 203 × 151"))
        }
    }

    @Test func animation_showsThePartOfEachFrame() async throws {
        let frames = try (0..<3).map { number in
            AnimationFrame(
                try Pictures.make(40, 30) { x, y in [UInt8(x * 6), UInt8(y * 8), UInt8(number * 100), 255] },
                delay: .milliseconds(100))
        }
        let file = try GIFEncoder().encode(frames)
        let part = PixelRectangle(x: 5, y: 7, width: 20, height: 10)
        let whole = try #require(try decode(file, nil).animation)
        let animation = try #require(try decode(file, DecodeTarget(part.size, region: part)).animation)
        #expect(animation.size == part.size && animation.frameCount == 3)
        for number in 0..<3 {
            #expect(try await animation.frame(at: number) == whole.frame(at: number).part(part))
        }
    }

    @Test func rowsBelowThePart_mayBeMissing() throws {
        let jpeg = try JPEGEncoder(quality: 90).encode(try #require(Self.picture))
        let part = PixelRectangle(x: 10, y: 10, width: 50, height: 30)
        let whole = try decode(jpeg, nil)
        let image = try decode(jpeg.prefix(jpeg.count * 3 / 4), DecodeTarget(part.size, region: part))
        #expect(image.bitmap == (try whole.bitmap.part(part)))
    }
}

extension Bitmap {
    fileprivate func bmp(topDown: Bool) -> Data {
        let rows = (0..<size.height).map { y in
            (0..<size.width).map { x in
                let pixel = SIMD4<UInt32>(truncatingIfNeeded: self[x, y])
                return pixel.x << 16 | pixel.y << 8 | pixel.z
            }
        }
        return BMPFixture.of(rows, bits: 24, topDown: topDown).data
    }

    fileprivate var gray: Bitmap {
        get throws { try mapped { [$0.x, $0.x, $0.x, 255] } }
    }

    fileprivate var faded: Bitmap {
        get throws { try mapped { [$0.x / 2, $0.y / 2, $0.z / 2, 128] } }
    }

    private func mapped(_ change: (SIMD4<UInt8>) -> SIMD4<UInt8>) throws -> Bitmap {
        try withUnsafeBytes { bytes in
            try Pictures.make(size.width, size.height) { x, y in
                change(bytes.loadUnaligned(fromByteOffset: (y * size.width + x) * 4, as: SIMD4<UInt8>.self))
            }
        }
    }
}
#endif
