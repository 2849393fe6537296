import AlcedoTestSupport
import Testing

@testable import Alcedo

struct BitmapTests {
    @Test func startsTransparentBlack() throws {
        let bitmap = try BitmapBuilder(size: PixelSize(width: 7, height: 5)).freeze()
        #expect(bitmap.bytesPerRow == 28)
        #expect(bitmap.byteCount == 140)
        bitmap.withBytes { bytes in
            #expect(bytes.byteCount == 140)
            bytes.withUnsafeBytes { bytes in #expect(bytes.allSatisfy { $0 == 0 }) }
        }
    }

    @Test func writtenBytes_arePreserved() throws {
        let bitmap = try Pictures.make(3, 2) { x, y in [UInt8(x), UInt8(y), 9, 255] }
        #expect(bitmap[2, 1] == [2, 1, 9, 255])
        #expect(bitmap[0, 0] == [0, 0, 9, 255])
    }

    @Test func equalsByContent() throws {
        let one = try Pictures.gradient(9, 4)
        #expect(one == (try Pictures.gradient(9, 4)))
        #expect(one != (try Pictures.gradient(4, 9)))
        #expect(one != (try Pictures.noise(9, 4, seed: 1)))
    }

    @Test func isFreedOnce() throws {
        weak var gone: Bitmap?
        do {
            let bitmap = try Pictures.gradient(64, 64)
            gone = bitmap
            #expect(bitmap.size.width == 64)
        }
        #expect(gone == nil)
    }

    @Test func passesErrorsOn() throws {
        var builder = try BitmapBuilder(size: PixelSize(width: 1, height: 1))
        #expect(throws: ImageLoaderError.cancelled) {
            try builder.withBytes { _ throws(ImageLoaderError) in throw .cancelled }
        }
    }

    @Test(arguments: [
        (
            PixelSize(width: 70_000, height: 1),
            ImageLoaderError.limitExceeded(.imageSide, value: 70_000, allowed: 65_535)
        ),
        (PixelSize(width: 1, height: 65_536), .limitExceeded(.imageSide, value: 65_536, allowed: 65_535)),
        (PixelSize(width: 0, height: 5), .limitExceeded(.imageSide, value: 0, allowed: 65_535)),
        (PixelSize(width: 5, height: -1), .limitExceeded(.imageSide, value: -1, allowed: 65_535)),
        (
            PixelSize(width: 20_000, height: 20_000),
            .limitExceeded(.imagePixels, value: 400_000_000, allowed: 1 << 28)
        ),
        (
            PixelSize(width: 10_000, height: 10_000),
            .limitExceeded(.bitmapBytes, value: 400_000_000, allowed: 256 << 20)
        ),
    ])
    func invalidSizes_areRejected(_ size: PixelSize, _ error: ImageLoaderError) {
        #expect(throws: error) { _ = try BitmapBuilder(size: size).freeze() }
    }

    @Test func productsDoNotOverflow() {
        var limits = DecodeLimits()
        limits.side = .max
        limits.pixels = .max
        limits.bitmapBytes = .max
        #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: .max, allowed: .max)) {
            _ = try BitmapBuilder(size: PixelSize(width: .max, height: 2), limits: limits).freeze()
        }
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: .max, allowed: .max)) {
            _ = try BitmapBuilder(size: PixelSize(width: .max / 3, height: 1), limits: limits).freeze()
        }
    }

    @Test func unavailableMemory_isAnError() {
        var limits = DecodeLimits()
        limits.side = .max
        limits.pixels = .max
        limits.bitmapBytes = .max
        // More than any address space holds.
        let size = PixelSize(width: 1 << 30, height: 1 << 30)
        #expect(throws: ImageLoaderError.limitExceeded(.bitmapBytes, value: 1 << 62, allowed: 0)) {
            _ = try BitmapBuilder(size: size, limits: limits).freeze()
        }
    }

    @Test func premultipliesToNearest() throws {
        var builder = try BitmapBuilder(size: PixelSize(width: 256, height: 256))
        builder.withBytes { bytes in
            for i in 0..<65_536 {
                bytes.storeBytes(of: UInt8(i & 255), toByteOffset: i * 4, as: UInt8.self)
                bytes.storeBytes(of: UInt8(i >> 8), toByteOffset: i * 4 + 3, as: UInt8.self)
            }
        }
        builder.premultiply()
        let bitmap = builder.freeze()
        let wrong = (0..<65_536).first { i in
            let exact = (Double(i & 255) * Double(i >> 8) / 255).rounded()
            return bitmap[i & 255, i >> 8] != [UInt8(exact), 0, 0, UInt8(i >> 8)]
        }
        #expect(wrong == nil)
    }
}
