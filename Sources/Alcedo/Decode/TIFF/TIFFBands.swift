#if os(Linux) && TIFF
import Foundation

/// Reads a page from the top, a band of rows at a time: a few rows of strips, or a row of tiles.
final class TIFFBands {
    private let file: TIFFFile
    private let layout: TIFFLayout
    private let pixels: TIFFPixels
    private let inks: InkConversion?
    private let isConverted: Bool
    private let isInks: Bool
    /// The rows of a band; the last one may have fewer.
    let rowsPerBand: Int
    /// The samples of a band of strips, or of a tile, for each plane.
    private let samples: [UnsafeMutableRawBufferPointer]

    /// - Parameter isCareful: Whether bands are as small as possible.
    init(
        _ file: TIFFFile, _ layout: TIFFLayout, _ inks: InkConversion?, isCareful: Bool
    ) throws(ImageLoaderError) {
        (self.file, self.layout, self.inks) = (file, layout, inks)
        pixels = TIFFPixels(layout)
        if case .converted = layout.colors { isConverted = true } else { isConverted = false }
        if case .inks = layout.colors { isInks = true } else { isInks = false }
        rowsPerBand = Self.rowsPerBand(layout, file.size, isCareful: isCareful)
        if isConverted {
            try file.beginPixels()
            samples = []
        } else {
            let count = layout.tile == nil ? rowsPerBand * layout.bytesPerRow : layout.bytesPerChunk
            samples = layout.planes.map { _ in .zeroed(byteCount: count) }
        }
    }

    deinit {
        for plane in samples { plane.deallocate() }
    }

    private static func rowsPerBand(_ layout: TIFFLayout, _ size: PixelSize, isCareful: Bool) -> Int {
        if case .converted = layout.colors { return min(layout.rowsPerStrip, size.height) }
        let rows = isCareful ? 1 : max(1, (1 << 16) / size.width)
        return min(layout.tile?.height ?? rows, size.height)
    }

    /// The memory needed for reading, including a band of pixels.
    static func heldBytes(_ layout: TIFFLayout, _ size: PixelSize) -> Int {
        let rows = rowsPerBand(layout, size, isCareful: false)
        var isWhole = layout.tile != nil
        if case .converted = layout.colors { isWhole = true }
        let samples = isWhole ? layout.bytesPerChunk : layout.bytesPerRow.multiplied(by: rows)
        return samples.multiplied(by: max(1, layout.planes.count)).plus(rows.multiplied(by: size.width * 4))
    }

    /// The row to begin with if the rows above `row` aren't needed: the first one of a strip or tile.
    func firstRow(toRead row: Int) -> Int { row - row % (layout.tile?.height ?? layout.rowsPerStrip) }

    /// Reads rows, premultiplied.
    ///
    /// - Parameters:
    ///   - rows: A band: the first one, or the one after the band that was read last.
    ///   - columns: The columns that are needed; nil for all. Other tiles aren't read, and their pixels are undefined.
    ///   - output: The memory for the pixels of the rows, without gaps.
    func read(
        _ rows: Range<Int>, _ columns: Range<Int>? = nil, into output: UnsafeMutableRawBufferPointer,
        _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) {
        try cancellation.check()
        if isConverted {
            try file.readPixels(rows, into: output)
            return output.limitColorsToAlpha()
        }
        if let tile = layout.tile {
            let columns = columns ?? 0..<file.size.width
            for x in stride(from: columns.lowerBound / tile.width * tile.width, to: columns.upperBound, by: tile.width)
            {
                try cancellation.check()
                try readTile(x, tile.width, rows, into: output)
            }
        } else {
            try readStrips(rows, into: output)
        }
        finish(output)
    }

    private func readStrips(
        _ rows: Range<Int>, into output: UnsafeMutableRawBufferPointer
    ) throws(ImageLoaderError) {
        for (index, plane) in layout.planes.enumerated() {
            try file.read(rows, plane: plane, into: samples[index], bytesPerRow: layout.bytesPerRow)
        }
        convert(rows.count, x: 0, width: file.size.width, to: output)
    }

    private func readTile(
        _ x: Int, _ width: Int, _ rows: Range<Int>, into output: UnsafeMutableRawBufferPointer
    ) throws(ImageLoaderError) {
        for (index, plane) in layout.planes.enumerated() {
            try file.readTile(x: x, y: rows.lowerBound, plane: plane, into: samples[index])
        }
        convert(rows.count, x: x, width: min(width, file.size.width - x), to: output)
    }

    /// Converts the samples that were read for some rows, from column `x` on.
    private func convert(_ rows: Int, x: Int, width: Int, to output: UnsafeMutableRawBufferPointer) {
        let (bytesPerRow, stride) = (layout.bytesPerRow, file.size.width * 4)
        for row in 0..<rows {
            let start = row * stride + x * 4
            pixels.convert(
                samples.map { UnsafeRawBufferPointer(rebasing: $0[row * bytesPerRow..<(row + 1) * bytesPerRow]) },
                to: UnsafeMutableRawBufferPointer(rebasing: output[start..<start + width * 4]))
        }
    }

    /// Turns straight colors, or inks, into premultiplied colors.
    private func finish(_ output: UnsafeMutableRawBufferPointer) {
        if isInks {
            if let inks { inks.apply(to: output) } else { output.convertInks() }
        } else if layout.alpha != nil {
            if layout.isPremultiplied { output.limitColorsToAlpha() } else { output.premultiply() }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate static func zeroed(byteCount: Int) -> Self {
        let memory = allocate(byteCount: byteCount, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        return memory
    }

    /// Converts four inks, which are stored inverted, to opaque colors by arithmetic.
    fileprivate func convertInks() {
        let pixels = bindMemory(to: SIMD4<UInt8>.self)
        for index in pixels.indices {
            let inks = pixels[index]
            func color(_ ink: UInt8) -> UInt8 { UInt8((UInt32(ink) * UInt32(inks.w) + 127) / 255) }
            pixels[index] = SIMD4(color(inks.x), color(inks.y), color(inks.z), 255)
        }
    }
}
#endif
