import Alcedo

/// A sheet of images, each fitted into a cell.
struct ContactSheet {
    var columns = 10
    var cell = PixelSize(width: 160, height: 120)
    var gap = 8

    /// The sheet for some loaded images.
    static func ofLoads(_ count: Int) -> ContactSheet { ContactSheet(columns: max(1, min(8, count))) }

    /// The size of the sheet of so many images.
    func size(for count: Int) -> PixelSize {
        let rows = (count + columns - 1) / columns
        return PixelSize(width: gap + columns * (cell.width + gap), height: gap + max(1, rows) * (cell.height + gap))
    }

    /// The maximum number of images, given the largest size of a bitmap.
    var capacity: Int {
        let limits = DecodeLimits()
        let height = min(limits.side, min(limits.pixels, limits.bitmapBytes / 4) / size(for: 1).width)
        return max(0, height - gap) / (cell.height + gap) * columns
    }

    /// Draws images that are in sRGB. Throws if the sheet would exceed the largest size of a bitmap.
    func draw(_ pictures: [Bitmap]) throws(ImageLoaderError) -> Bitmap {
        var sheet = try BitmapBuilder(size: size(for: pictures.count))
        let stride = sheet.bytesPerRow
        let fitted = try pictures.map { picture throws(ImageLoaderError) in try reduced(picture) }
        sheet.withBytes { bytes in
            bytes.withUnsafeMutableBytes { canvas in
                paintPaper(canvas)
                for (index, picture) in fitted.enumerated() {
                    let left = gap + index % columns * (cell.width + gap)
                    let top = gap + index / columns * (cell.height + gap)
                    place(picture, on: canvas, stride, left: left, top: top)
                }
            }
        }
        return sheet.freeze()
    }

    /// The image fitted into a cell, in sRGB, because the images on a sheet may have different profiles.
    func thumbnail(of image: DecodedImage) throws(ImageLoaderError) -> Bitmap {
        try reduced(image.bitmap).convertedToSRGB(from: image.profile)
    }

    /// The bitmap fitted into a cell: reduced if necessary, never enlarged.
    func reduced(_ picture: Bitmap) throws(ImageLoaderError) -> Bitmap {
        let scale = min(
            Double(cell.width) / Double(picture.size.width), Double(cell.height) / Double(picture.size.height))
        guard scale < 1 else { return picture }
        let width = max(1, Int((Double(picture.size.width) * scale).rounded()))
        let height = max(1, Int((Double(picture.size.height) * scale).rounded()))
        var small = try BitmapBuilder(size: PixelSize(width: width, height: height))
        small.withBytes { bytes in
            bytes.withUnsafeMutableBytes { target in
                picture.withBytes { span in
                    span.withUnsafeBytes { source in
                        for y in 0..<height {
                            let rows = Self.share(y, of: height, picture.size.height)
                            for x in 0..<width {
                                let columns = Self.share(x, of: width, picture.size.width)
                                let color = Self.mean(source, picture.bytesPerRow, columns, rows)
                                target.storeBytes(
                                    of: color, toByteOffset: (y * width + x) * 4, as: SIMD4<UInt8>.self)
                            }
                        }
                    }
                }
            }
        }
        return small.freeze()
    }

    private func paintPaper(_ canvas: UnsafeMutableRawBufferPointer) {
        canvas.bindMemory(to: SIMD4<UInt8>.self).update(repeating: Self.paper)
    }

    static var paper: SIMD4<UInt8> { SIMD4(244, 242, 236, 255) }

    /// Draws a fitted bitmap in the middle of its cell.
    private func place(
        _ picture: Bitmap, on canvas: UnsafeMutableRawBufferPointer, _ stride: Int, left: Int, top: Int
    ) {
        let (width, height) = (picture.size.width, picture.size.height)
        let (x0, y0) = (left + (cell.width - width) / 2, top + (cell.height - height) / 2)
        picture.withBytes { span in
            span.withUnsafeBytes { source in
                for y in 0..<height {
                    for x in 0..<width {
                        let color = source.load(
                            fromByteOffset: y * picture.bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
                        let offset = (y0 + y) * stride + (x0 + x) * 4
                        let below = canvas.load(fromByteOffset: offset, as: SIMD4<UInt8>.self)
                        canvas.storeBytes(of: Self.over(color, below), toByteOffset: offset, as: SIMD4<UInt8>.self)
                    }
                }
            }
        }
    }

    /// The source's rows or columns that pixel `index` of `count` represents.
    private static func share(_ index: Int, of count: Int, _ source: Int) -> Range<Int> {
        let start = index * source / count
        return start..<max(start + 1, (index + 1) * source / count)
    }

    /// Returns the mean of some pixels. Premultiplied pixels can be averaged without weighting by alpha.
    private static func mean(
        _ source: UnsafeRawBufferPointer, _ stride: Int, _ columns: Range<Int>, _ rows: Range<Int>
    ) -> SIMD4<UInt8> {
        var sum = SIMD4<UInt32>.zero
        for y in rows {
            for x in columns {
                let pixel = source.load(fromByteOffset: y * stride + x * 4, as: SIMD4<UInt8>.self)
                sum &+= SIMD4<UInt32>(truncatingIfNeeded: pixel)
            }
        }
        let count = UInt32(columns.count * rows.count)
        return SIMD4<UInt8>(truncatingIfNeeded: (sum &+ count / 2) / count)
    }

    private static func over(_ color: SIMD4<UInt8>, _ below: SIMD4<UInt8>) -> SIMD4<UInt8> {
        let rest = UInt16(255 - color.w)
        let shown = (SIMD4<UInt16>(truncatingIfNeeded: below) &* rest &+ 127) / 255
        return color &+ SIMD4<UInt8>(truncatingIfNeeded: shown)
    }
}
