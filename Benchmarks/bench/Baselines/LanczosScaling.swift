import Alcedo
import Foundation

/// A reference implementation of scaling down (Lanczos, three lobes, in floating point).
struct LanczosScaling {
    private struct Taps {
        let first: Int
        let weights: [Float]
    }

    /// Red, green and blue of the pixels of `target`, row by row, not rounded.
    static func scale(_ bitmap: Bitmap, to target: PixelSize) -> [Float] {
        let across = taps(from: bitmap.size.width, to: target.width)
        let down = taps(from: bitmap.size.height, to: target.height)
        var rows: [[Float]] = []
        bitmap.withBytes { bytes in
            bytes.withUnsafeBytes { bytes in
                for y in 0..<bitmap.size.height {
                    let row = UnsafeRawBufferPointer(rebasing: bytes[(y * bitmap.bytesPerRow)...])
                    rows.append(scale(row, across))
                }
            }
        }
        var result: [Float] = []
        for taps in down {
            var sums = [Float](repeating: 0, count: target.width * 3)
            for (number, weight) in taps.weights.enumerated() {
                let row = rows[taps.first + number]
                for index in sums.indices { sums[index] += row[index] * weight }
            }
            result += sums
        }
        return result
    }

    private static func scale(_ row: UnsafeRawBufferPointer, _ across: [Taps]) -> [Float] {
        var result: [Float] = []
        for taps in across {
            var sum = SIMD4<Float>()
            for (number, weight) in taps.weights.enumerated() {
                let pixel = row.loadUnaligned(fromByteOffset: (taps.first + number) * 4, as: SIMD4<UInt8>.self)
                sum += SIMD4<Float>(pixel) * weight
            }
            result += [sum.x, sum.y, sum.z]
        }
        return result
    }

    private static func taps(from source: Int, to target: Int) -> [Taps] {
        let stretch = Double(source) / Double(target)
        return (0..<target).map { pixel in
            let center = (Double(pixel) + 0.5) * stretch
            let first = max(0, Int((center - 3 * stretch).rounded(.down)))
            let end = min(source, Int((center + 3 * stretch).rounded(.up)))
            let weights = (first..<end).map { kernel((Double($0) + 0.5 - center) / stretch) }
            let sum = weights.reduce(0, +)
            return Taps(first: first, weights: weights.map { Float($0 / sum) })
        }
    }

    private static func kernel(_ x: Double) -> Double {
        guard abs(x) < 3 else { return 0 }
        guard x != 0 else { return 1 }
        return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
    }
}
