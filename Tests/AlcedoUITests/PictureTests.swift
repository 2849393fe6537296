#if canImport(CoreGraphics)
import Alcedo
import AlcedoUI
import CoreGraphics
import Foundation
import Testing

#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// Pictures of Core Graphics, there and back.
@Suite struct PictureTests {
    /// Two rows of opaque, half transparent and transparent pixels, all different.
    static func bitmap() throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: 3, height: 2))
        builder.withBytes { bytes in
            let pixels: [UInt32] = [0xff00_00ff, 0xff00_ff00, 0xffff_0000, 0x8000_0080, 0x8040_2010, 0x0000_0000]
            for (index, pixel) in pixels.enumerated() {
                bytes.storeBytes(of: pixel, toByteOffset: index * 4, as: UInt32.self)
            }
        }
        return builder.freeze()
    }

    @Test func cgImage_hasThePixels_topRowFirst() throws {
        let bitmap = try Self.bitmap()
        let image = try #require(DecodedImage(bitmap: bitmap).cgImage)
        #expect(image.width == 3 && image.height == 2)
        #expect(try DecodedImage(cgImage: image).bitmap == bitmap)
    }

    @Test func cgImage_keepsThePixels_withoutTheBitmap() throws {
        weak var bitmap: Bitmap?
        let image: CGImage?
        do {
            let strong = try Self.bitmap()
            bitmap = strong
            image = strong.cgImage
        }
        #expect(bitmap == nil)
        #expect(try DecodedImage(cgImage: #require(image)).bitmap == Self.bitmap())
    }

    @Test func cgImage_isMadeOnce() throws {
        let image = DecodedImage(bitmap: try Self.bitmap())
        let first = try #require(image.cgImage)
        let copy = image
        #expect(copy.cgImage === first && image.bitmap.cgImage === first)
    }

    @Test func cgImage_withOtherColors_isAnother() throws {
        let profile = try #require(CGColorSpace(name: CGColorSpace.displayP3)?.copyICCData()) as Data
        let file = Self.bmp(red: 200, green: 100, blue: 50, profile: profile)
        let image = try ImageDecoders.builtIn.decode(file)
        let first = try #require(image.cgImage)
        #expect(image.bitmap.cgImage !== first)
    }

    /// A file of one pixel, which ends with its profile.
    static func bmp(red: UInt8, green: UInt8, blue: UInt8, profile: Data) -> Data {
        let (nothing, embedded) = ([UInt32](repeating: 0, count: 12), 0x4d42_4544 as UInt32)
        var words: [UInt32] = [UInt32(142 + profile.count), 0, 138, 124, 1, 1, 1 | 24 << 16, 0, 4, 0, 0, 0, 0]
        words += nothing[..<4] + [embedded] + nothing + [4, 128, UInt32(profile.count), 0]
        let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        return Data("BM".utf8) + bytes + [blue, green, red, 0] + profile
    }

    @Test func colors_areThoseOfTheProfile() throws {
        let profile = try #require(CGColorSpace(name: CGColorSpace.displayP3)?.copyICCData()) as Data
        let file = Self.bmp(red: 200, green: 100, blue: 50, profile: profile)
        let image = try ImageDecoders.builtIn.decode(file)
        #expect(image.profile == profile)
        let cgImage = try #require(image.cgImage)
        let drawn = try DecodedImage(cgImage: cgImage).bitmap
        var request = DecodeRequest()
        request.convertsToSRGB = true
        let converted = try ImageDecoders.builtIn.decode(file, request)
        #expect(converted.profile == nil)
        // In sRGB, the same red is a larger number.
        #expect(drawn[0, 0].x > 205 && converted.bitmap[0, 0].x > 205)
    }

    @Test func scale_isKept() throws {
        let image = try #require(try Self.bitmap().cgImage)
        #expect(try DecodedImage(cgImage: image, scale: 3).scale == 3)
    }

    @Test func tooLarge_isAnError() throws {
        let image = try #require(try Self.bitmap().cgImage)
        var limits = DecodeLimits()
        limits.bitmapBytes = 23
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: 24, allowed: 23)) {
            try DecodedImage(cgImage: image, limits: limits)
        }
    }

    #if canImport(UIKit)
    @Test func uiImage_hasSizeInPoints_andComesBack() throws {
        let bitmap = try Self.bitmap()
        let cgImage = try #require(bitmap.cgImage)
        let image = try #require(try DecodedImage(cgImage: cgImage, scale: 2).uiImage)
        #expect(image.scale == 2 && image.size == CGSize(width: 1.5, height: 1))
        let back = try DecodedImage(uiImage: image)
        #expect(back.scale == 2 && back.bitmap == bitmap)
    }
    #elseif canImport(AppKit)
    @Test func nsImage_hasSizeInPoints_andComesBack() throws {
        let bitmap = try Self.bitmap()
        let cgImage = try #require(bitmap.cgImage)
        let image = try #require(try DecodedImage(cgImage: cgImage, scale: 2).nsImage)
        #expect(image.size == CGSize(width: 1.5, height: 1))
        let back = try DecodedImage(nsImage: image)
        #expect(back.scale == 2 && back.bitmap == bitmap)
    }
    #endif
}
#endif
