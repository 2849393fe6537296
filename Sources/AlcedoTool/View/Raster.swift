import Alcedo
import Foundation

/// A color shown by a terminal.
struct RGB: Hashable, Sendable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }
}

/// Opaque pixels, in the size in which they are shown.
struct Raster: Equatable, Sendable {
    /// The background of transparent pixels.
    enum Backdrop: Equatable, Sendable {
        case plain(RGB)
        /// Squares with sides of this many pixels.
        case checker(Int)

        fileprivate func color(_ x: Int, _ y: Int) -> RGB {
            switch self {
            case .plain(let color): color
            case .checker(let side): (x / side + y / side) % 2 == 0 ? RGB(40, 40, 40) : RGB(64, 64, 64)
            }
        }
    }

    let width: Int
    let height: Int
    /// The pixels, row by row.
    private(set) var pixels: [RGB]

    subscript(x: Int, y: Int) -> RGB { pixels[y * width + x] }

    /// Scales a bitmap to this size over a backdrop. Each pixel is the mean of the source pixels that it covers.
    init(_ bitmap: Bitmap, width: Int, height: Int, over backdrop: Backdrop) {
        (self.width, self.height) = (width, height)
        pixels = []
        pixels.reserveCapacity(width * height)
        let (size, stride) = (bitmap.size, bitmap.bytesPerRow)
        let columns = (0..<width).map { Self.span($0, of: width, in: size.width) }
        bitmap.withBytes { bytes in
            for y in 0..<height {
                let rows = Self.span(y, of: height, in: size.height)
                for x in 0..<width {
                    var sum = SIMD4<UInt32>.zero
                    for row in rows {
                        for column in columns[x] {
                            let pixel = bytes.unsafeLoadUnaligned(
                                fromByteOffset: row * stride + column * 4, as: SIMD4<UInt8>.self)
                            sum &+= SIMD4<UInt32>(truncatingIfNeeded: pixel)
                        }
                    }
                    let count = UInt32(rows.count * columns[x].count)
                    pixels.append(Self.blend(sum / count, backdrop.color(x, y)))
                }
            }
        }
    }

    /// The pixels as a PNG file; nil if there isn't enough memory.
    var png: Data? {
        do throws(ImageLoaderError) {
            var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
            builder.withBytes { bytes in
                for (index, pixel) in pixels.enumerated() {
                    let pixel = SIMD4<UInt8>(pixel.red, pixel.green, pixel.blue, 255)
                    bytes.storeBytes(of: pixel, toByteOffset: index * 4, as: SIMD4<UInt8>.self)
                }
            }
            // The terminal waits for the file and doesn't keep it, so speed matters more than size.
            return try PNGEncoder(compressionLevel: 1).encode(builder.freeze())
        } catch {
            return nil
        }
    }

    /// The source pixels that a pixel covers, at least one.
    private static func span(_ index: Int, of count: Int, in source: Int) -> Range<Int> {
        let start = index * source / count
        return start..<max(start + 1, (index + 1) * source / count)
    }

    /// Draws a pixel, whose colors are premultiplied, over a backdrop.
    private static func blend(_ pixel: SIMD4<UInt32>, _ backdrop: RGB) -> RGB {
        let rest = 255 - min(255, pixel.w)
        func over(_ color: UInt32, _ behind: UInt8) -> UInt8 {
            UInt8(min(255, color + (UInt32(behind) * rest + 127) / 255))
        }
        return RGB(
            over(pixel.x, backdrop.red), over(pixel.y, backdrop.green), over(pixel.z, backdrop.blue))
    }
}
