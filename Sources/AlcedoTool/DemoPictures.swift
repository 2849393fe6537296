import Alcedo
import Foundation

/// The demo's images, computed so that they are the same on every machine.
struct DemoPictures {
    struct Picture: Sendable {
        let name: String
        let bytes: Data
    }

    /// The divisor for the sides: a debug build draws about fifty times slower.
    var reduction = 1
    var threads = WorkerThreads.drawing

    /// Draws 48 landscapes as JPEG, in five sizes, and 12 badges as PNG with alpha, on all cores.
    func make() async throws -> [Picture] {
        try await withThrowingTaskGroup(of: (Int, Picture).self) { group in
            for number in 0..<48 { group.addTask { (number, try await draw { try landscape(number) }) } }
            for number in 0..<12 { group.addTask { (48 + number, try await draw { try badge(number) }) } }
            var pictures: [(Int, Picture)] = []
            for try await picture in group { pictures.append(picture) }
            return pictures.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Draws on one of the threads. Throws immediately if the calling Task is cancelled.
    func draw<Value: Sendable>(_ drawing: @escaping @Sendable () throws -> Value) async throws -> Value {
        guard let drawn = await threads.runUnlessCancelled({ Result(catching: drawing) }) else {
            throw CancellationError()
        }
        return try drawn.get()
    }

    private static let sizes = [(320, 240), (640, 480), (800, 1200), (1280, 853), (1600, 1200)]

    // MARK: Landscapes

    private func landscape(_ number: Int) throws -> Picture {
        let full = Self.sizes[number % Self.sizes.count]
        let (width, height) = (full.0 / reduction, full.1 / reduction)
        let scene = Landscape(seed: UInt64(number) &+ 1, width: width, height: height)
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withBytes { bytes in
            bytes.withUnsafeMutableBytes { pixels in
                for y in 0..<height {
                    for x in 0..<width {
                        let offset = (y * width + x) * 4
                        pixels.storeBytes(of: scene.color(x, y), toByteOffset: offset, as: SIMD4<UInt8>.self)
                    }
                }
            }
        }
        let file = try JPEGEncoder(quality: 82).encode(builder.freeze())
        return Picture(name: String(format: "landscape-%02d.jpg", number + 1), bytes: file)
    }

    // MARK: Badges

    /// A translucent disc with a star cut out of it.
    private func badge(_ number: Int) throws -> Picture {
        let side = (192 + 64 * (number % 4)) / reduction
        let color = Hue(Double(number) / 12).light
        let points = Double(5 + number % 4)
        var builder = try BitmapBuilder(size: PixelSize(width: side, height: side))
        builder.withBytes { bytes in
            bytes.withUnsafeMutableBytes { pixels in
                for y in 0..<side {
                    for x in 0..<side {
                        let (u, v) = (2 * Double(x) / Double(side) - 1, 2 * Double(y) / Double(side) - 1)
                        let radius = (u * u + v * v).squareRoot()
                        let star = 0.45 + 0.18 * cos(points * atan2(v, u))
                        let inDisc = edge(0.95 - radius, side)
                        let inStar = edge(star - radius, side)
                        let alpha = inDisc * (0.85 - 0.35 * v) * (1 - inStar) + inStar * 0.25
                        let shown = (SIMD4(color * alpha, alpha) * 255).rounded(.toNearestOrAwayFromZero)
                        let pixel = SIMD4<UInt8>(clamping: SIMD4<Int>(shown))
                        pixels.storeBytes(of: pixel, toByteOffset: (y * side + x) * 4, as: SIMD4<UInt8>.self)
                    }
                }
            }
        }
        return Picture(
            name: String(format: "badge-%02d.png", number + 1), bytes: try PNGEncoder().encode(builder.freeze()))
    }

    /// Returns 1 inside, 0 outside, and a value in between where the edge crosses a pixel.
    private func edge(_ distance: Double, _ side: Int) -> Double {
        min(1, max(0, distance * Double(side) / 2 + 0.5))
    }
}

/// A color given by its position on the color wheel.
struct Hue {
    private let angle: Double

    init(_ turn: Double) { angle = turn * 2 * .pi }

    var light: SIMD3<Double> { wave(0.62, 0.36) }
    var dark: SIMD3<Double> { wave(0.22, 0.14) }

    private func wave(_ middle: Double, _ swing: Double) -> SIMD3<Double> {
        SIMD3(cos(angle), cos(angle - 2.1), cos(angle + 2.1)) * swing + middle
    }
}
