/// Scales an image with floating-point numbers, optionally in linear light. It then averages the light that the pixels
/// emit, as when they are seen from afar.
struct FloatResampler: Sendable {
    let size: PixelSize
    private let source: PixelSize
    private let across: FloatWeights
    private let down: FloatWeights
    /// The curve for linear light; nil to average colors as they are stored.
    private let curve: SRGBCurve?

    /// No side of either size may be below 1.
    init(from source: PixelSize, to size: PixelSize, _ filter: ResamplingFilter, inLinearLight: Bool) {
        (self.source, self.size) = (source, size)
        curve = inLinearLight ? .shared : nil
        across = FloatWeights(from: source.width, to: size.width, filter)
        down = FloatWeights(from: source.height, to: size.height, filter)
    }

    /// Writes rows of the scaled image to `target`, which points to the start of the first one.
    ///
    /// - Parameter pixels: All pixels of the source, premultiplied.
    func write(_ rows: Range<Int>, of pixels: UnsafePointer<UInt32>, to target: UnsafeMutablePointer<UInt32>) {
        withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: source.width + size.width) { scratch in
            guard let high = scratch.baseAddress else { return }
            let wide = high + source.width
            for y in rows {
                high.update(repeating: .zero, count: source.width)
                let (first, weights) = down[y]
                for (index, weight) in weights.enumerated() {
                    add(pixels + (first + index) * source.width, weight, to: high)
                }
                across.apply(to: high, wide)
                for x in 0..<size.width { target[(y - rows.lowerBound) * size.width + x] = pixel(wide[x]) }
            }
        }
    }

    /// Adds a weighted row: of light multiplied by alpha, or of the stored numbers.
    private func add(_ row: UnsafePointer<UInt32>, _ weight: Float, to sums: UnsafeMutablePointer<SIMD4<Float>>) {
        guard let curve else {
            let samples = UnsafeRawPointer(row)
            for x in 0..<source.width {
                sums[x] += SIMD4<Float>(samples.load(fromByteOffset: x &* 4, as: SIMD4<UInt8>.self)) * weight
            }
            return
        }
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

    /// The premultiplied pixel for a weighted sum. Overshoot is clipped.
    private func pixel(_ light: SIMD4<Float>) -> UInt32 {
        guard let curve else {
            let alpha = light.w.clamped(to: 255)
            let red = light.x.clamped(to: alpha).roundedBits
            let green = light.y.clamped(to: alpha).roundedBits
            let blue = light.z.clamped(to: alpha).roundedBits
            return (red | green << 8 | blue << 16 | alpha.roundedBits << 24).littleEndian
        }
        let alpha = light.w.clamped(to: 1)
        guard alpha > 0 else { return 0 }
        let samples = curve.samples(of: SIMD3(light.x, light.y, light.z) / alpha)
        let colors = SIMD3<UInt32>(SIMD3<Float>(samples) * alpha, rounding: .toNearestOrEven)
        return (colors.x | colors.y << 8 | colors.z << 16 | (alpha * 255).roundedBits << 24).littleEndian
    }
}
