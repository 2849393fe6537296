import Foundation

/// A filter for scaling images, which defines how much each pixel contributes to a pixel of the result.
///
/// When an image shrinks, both filters are stretched so that every pixel contributes.
public enum ResamplingFilter: Int, Sendable, Hashable, CaseIterable {
    // The numbers are part of the keys of images on disk.
    /// A windowed sinc over six pixels: the sharpest, with slight ringing along hard edges.
    case lanczos3 = 0
    /// The interpolating cubic over four pixels (Keys, 1981, with a = -1/2), with less ringing. Takes 2/3 of the time.
    case catmullRom = 1

    /// The distance beyond which pixels don't contribute, in source pixels of an image that isn't shrunk.
    var reach: Double {
        switch self {
        case .lanczos3: 3
        case .catmullRom: 2
        }
    }

    /// The weight of a pixel at a distance, before all weights are scaled to a sum of 1.
    func value(at distance: Double) -> Double {
        switch self {
        case .lanczos3: Self.lanczos3(abs(distance))
        case .catmullRom: Self.catmullRom(abs(distance))
        }
    }

    private static func catmullRom(_ x: Double) -> Double {
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        if x < 2 { return ((-0.5 * x + 2.5) * x - 4) * x + 2 }
        return 0
    }

    private static func lanczos3(_ x: Double) -> Double {
        // Exactly 0 at whole numbers, so that pixels that don't move stay unchanged.
        if x >= 3 || x == x.rounded() { return x == 0 ? 1 : 0 }
        let angle = Double.pi * x
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }
}
