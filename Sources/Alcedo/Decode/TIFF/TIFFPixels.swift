#if os(Linux) && TIFF
/// Turns the samples of rows into pixels: straight RGBA, or inverted inks.
struct TIFFPixels {
    private let layout: TIFFLayout
    /// A table that scales samples of up to eight bits to eight bits.
    private let scaled: [UInt8]

    init(_ layout: TIFFLayout) {
        self.layout = layout
        let last = (1 << min(layout.bits, 8)) - 1
        scaled = (0...last).map { UInt8(($0 * 255 + last / 2) / last) }
    }

    /// Converts a part of a row.
    ///
    /// - Parameter planes: The row in each plane, with all samples of the part.
    func convert(_ planes: [UnsafeRawBufferPointer], to output: UnsafeMutableRawBufferPointer) {
        let pixels = output.bindMemory(to: SIMD4<UInt8>.self)
        switch layout.colors {
        case .gray(let isInverted): readGray(planes, pixels, isInverted ? 255 : 0)
        case .rgb where layout.bits == 8 && planes.count == 1 && layout.alpha == nil: readBytes(planes[0], pixels)
        case .rgb: readColors(planes, pixels)
        case .inks: readInks(planes, pixels)
        case .palette(let colors): readIndices(planes, pixels, colors)
        case .converted: break
        }
    }

    private func readGray(
        _ planes: [UnsafeRawBufferPointer], _ pixels: UnsafeMutableBufferPointer<SIMD4<UInt8>>, _ inversion: UInt8
    ) {
        for x in pixels.indices {
            let value = sample(0, x, planes) ^ inversion
            pixels[x] = SIMD4(value, value, value, alpha(x, planes))
        }
    }

    /// Reads opaque colors of eight bits.
    private func readBytes(_ row: UnsafeRawBufferPointer, _ pixels: UnsafeMutableBufferPointer<SIMD4<UInt8>>) {
        var place = 0
        for x in pixels.indices {
            pixels[x] = SIMD4(row[place], row[place + 1], row[place + 2], 255)
            place += layout.samplesPerPixel
        }
    }

    private func readColors(
        _ planes: [UnsafeRawBufferPointer], _ pixels: UnsafeMutableBufferPointer<SIMD4<UInt8>>
    ) {
        for x in pixels.indices {
            pixels[x] = SIMD4(
                sample(0, x, planes), sample(1, x, planes), sample(2, x, planes), alpha(x, planes))
        }
    }

    private func readInks(
        _ planes: [UnsafeRawBufferPointer], _ pixels: UnsafeMutableBufferPointer<SIMD4<UInt8>>
    ) {
        for x in pixels.indices {
            pixels[x] =
                ~SIMD4(sample(0, x, planes), sample(1, x, planes), sample(2, x, planes), sample(3, x, planes))
        }
    }

    private func readIndices(
        _ planes: [UnsafeRawBufferPointer], _ pixels: UnsafeMutableBufferPointer<SIMD4<UInt8>>,
        _ colors: [SIMD4<UInt8>]
    ) {
        for x in pixels.indices {
            pixels[x] = colors[value(0, x, planes)]
            pixels[x].w = alpha(x, planes)
        }
    }

    @inline(__always)
    private func alpha(_ x: Int, _ planes: [UnsafeRawBufferPointer]) -> UInt8 {
        layout.alpha.map { sample($0, x, planes) } ?? 255
    }

    /// A sample, rounded to eight bits.
    @inline(__always)
    private func sample(_ index: Int, _ x: Int, _ planes: [UnsafeRawBufferPointer]) -> UInt8 {
        let value = value(index, x, planes)
        if layout.bits <= 8 { return scaled[value] }
        let last = (1 << layout.bits) - 1
        return layout.bits == 16 ? UInt16(value).rounded : UInt8((value * 255 + last / 2) / last)
    }

    /// A sample as stored.
    @inline(__always)
    private func value(_ index: Int, _ x: Int, _ planes: [UnsafeRawBufferPointer]) -> Int {
        let row = planes.count == 1 ? planes[0] : planes[index]
        let place = planes.count == 1 ? x * layout.samplesPerPixel + index : x
        switch layout.bits {
        case 8: return Int(row[place])
        case 16: return Int(row.loadUnaligned(fromByteOffset: place * 2, as: UInt16.self))
        default: return row.bits(at: place * layout.bits, count: layout.bits)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Reads up to 16 bits, the highest first.
    fileprivate func bits(at start: Int, count: Int) -> Int {
        var (value, place) = (0, start)
        let end = start + count
        while place < end {
            // Takes as many bits as are left in the byte.
            let length = Swift.min(8 - place & 7, end - place)
            let part = Int(self[place >> 3]) >> (8 - place & 7 - length)
            value = value << length | part & ((1 << length) - 1)
            place += length
        }
        return value
    }
}
#endif
