/// Scales a picture in linear light: averages are those of the light that the pixels give, as seen from afar.
struct LinearResampler: Sendable {
    let size: PixelSize
    private let source: PixelSize
    private let across: FloatWeights
    private let down: ResamplingWeights
    private let curve = SRGBCurve.shared

    /// No side of either size may be below 1.
    init(from source: PixelSize, to size: PixelSize, _ filter: ResamplingFilter) {
        (self.source, self.size) = (source, size)
        across = FloatWeights(ResamplingWeights(from: source.width, to: size.width, filter: filter))
        down = ResamplingWeights(from: source.height, to: size.height, filter: filter)
    }

    /// Writes rows of the scaled picture to `target`, the start of the first of these rows.
    ///
    /// - Parameter pixels: All pixels of the source, premultiplied.
    func write(_ rows: Range<Int>, of pixels: UnsafePointer<UInt32>, to target: UnsafeMutablePointer<UInt32>) {
        withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: source.width + size.width) { scratch in
            guard let high = scratch.baseAddress else { return }
            let wide = high + source.width
            for y in rows {
                high.update(repeating: .zero, count: source.width)
                let one = Float(Int32(1) << down.fractionBits)
                down.withWeights(of: y) { first, weights in
                    for (index, weight) in weights.enumerated() {
                        add(pixels + (first + index) * source.width, Float(weight) / one, to: high)
                    }
                }
                across.apply(to: high, wide)
                for x in 0..<size.width { target[(y - rows.lowerBound) * size.width + x] = pixel(wide[x]) }
            }
        }
    }

    /// Adds a weighted row of light, multiplied by alpha.
    private func add(_ row: UnsafePointer<UInt32>, _ weight: Float, to sums: UnsafeMutablePointer<SIMD4<Float>>) {
        curve.light.withUnsafeBufferPointer { light in
            for x in 0..<source.width {
                let pixel = UInt32(littleEndian: row[x])
                let alpha = Float(pixel >> 24) / 255
                let straight = pixel >> 24 == 255 ? pixel : pixel.unpremultiplied
                let color = SIMD4(
                    light[Int(straight & 255)], light[Int(straight >> 8 & 255)], light[Int(straight >> 16 & 255)], 1)
                sums[x] += color * (alpha * weight)
            }
        }
    }

    /// The premultiplied pixel of light that is multiplied by alpha. Overshoot is clipped.
    private func pixel(_ light: SIMD4<Float>) -> UInt32 {
        let alpha = light.w.clamped(to: 1)
        guard alpha > 0 else { return 0 }
        let samples = curve.samples(of: SIMD3(light.x, light.y, light.z) / alpha)
        let colors = SIMD3<UInt32>(SIMD3<Float>(samples) * alpha, rounding: .toNearestOrEven)
        return (colors.x | colors.y << 8 | colors.z << 16 | (alpha * 255).roundedBits << 24).littleEndian
    }
}
