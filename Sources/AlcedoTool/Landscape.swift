import Foundation

/// A sky with a sun above ridges of hills that fade into the distance, with photo-like grain.
struct Landscape {
    private let width: Int
    private let height: Int
    private let seed: UInt64
    private let skyTop: SIMD3<Double>
    private let skyBottom: SIMD3<Double>
    private let ground: SIMD3<Double>
    private let sun: SIMD2<Double>
    /// The height of each ridge at each column, from the farthest to the nearest ridge.
    private let ridges: [[Double]]

    init(seed: UInt64, width: Int, height: Int) {
        self.width = width
        self.height = height
        self.seed = seed
        let hue = Self.random(seed, 1)
        skyTop = Hue(hue).light * 0.9
        skyBottom = Hue(hue + 0.12).light * 0.4 + 0.55
        ground = Hue(hue + 0.35).dark
        sun = SIMD2(0.15 + 0.7 * Self.random(seed, 2), 0.12 + 0.3 * Self.random(seed, 3))
        ridges = (0..<5).map { ridge in
            let base = 0.42 + 0.12 * Double(ridge)
            return (0..<width).map { column in
                let place = Double(column) / Double(width) * 4
                return base - 0.16 * Self.hills(place, seed &* 31 &+ UInt64(ridge))
            }
        }
    }

    /// The opaque pixel at a column and a row.
    func color(_ x: Int, _ y: Int) -> SIMD4<UInt8> {
        let v = Double(y) / Double(height)
        var color = skyColor(Double(x) / Double(width), v)
        for (number, ridge) in ridges.enumerated() where v > ridge[x] {
            let distance = 1 - Double(number + 1) / Double(ridges.count)
            let shade = 1.25 - 0.9 * (v - ridge[x])
            color = skyBottom * (distance * 0.75) + ground * shade * (1 - distance * 0.75)
        }
        let grain = (Self.noise(UInt64(truncatingIfNeeded: y &* width &+ x), seed) - 0.5) * 0.035
        return SIMD4<UInt8>(clamping: SIMD4<Int>(SIMD4(color + grain, 1) * 255))
    }

    private func skyColor(_ u: Double, _ v: Double) -> SIMD3<Double> {
        let sky = skyTop * (1 - v) + skyBottom * v
        let away = SIMD2((u - sun.x) * Double(width) / Double(height), v - sun.y)
        let distance = (away * away).sum().squareRoot()
        let glow = max(0, 1 - distance / 0.6)
        return distance < 0.06 ? SIMD3(1, 0.97, 0.88) : sky + SIMD3(0.35, 0.28, 0.12) * glow * glow
    }

    /// Sums five octaves of noise, each with half the amplitude of the previous one.
    private static func hills(_ place: Double, _ seed: UInt64) -> Double {
        var (sum, scale, weight) = (0.0, 1.0, 1.0)
        for octave in 0..<5 {
            let position = place * scale
            let cell = position.rounded(.down)
            let part = position - cell
            let blend = part * part * (3 - 2 * part)
            let left = noise(UInt64(cell), seed &+ UInt64(octave))
            let right = noise(UInt64(cell) &+ 1, seed &+ UInt64(octave))
            sum += weight * (left + (right - left) * blend)
            scale *= 2
            weight /= 2
        }
        return sum
    }

    private static func random(_ seed: UInt64, _ number: UInt64) -> Double { noise(number, seed &* 1_000_003) }

    /// A pseudorandom number from 0 to 1.
    private static func noise(_ place: UInt64, _ seed: UInt64) -> Double {
        var bits = (place &+ 0x9E37_79B9_7F4A_7C15) &* (seed &* 2 &+ 0xBF58_476D_1CE4_E5B9)
        bits = (bits ^ (bits >> 29)) &* 0x94D0_49BB_1331_11EB
        return Double((bits ^ (bits >> 32)) & 0xFFFF) / 65535
    }
}
