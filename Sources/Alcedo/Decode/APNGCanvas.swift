/// The canvas that the frames of an animated PNG are drawn on (PNG third edition, section 11.3.6): RGBA, straight
/// alpha.
///
/// It holds one canvas in memory, and a copy of the area under a frame that will be removed again.
struct APNGCanvas {
    /// What happens to a frame's area before the next frame is drawn.
    enum Disposal: UInt8, Sendable { case none, background, previous }
    /// Whether a frame replaces what is on the canvas or is blended over it.
    enum Blend: UInt8, Sendable { case source, over }

    /// Where and how a frame is drawn. It lies within the canvas.
    struct Placement: Sendable {
        var x: Int
        var y: Int
        var size: PixelSize
        var disposal: Disposal
        var blend: Blend
    }

    private let width: Int
    private var pixels: [SIMD4<UInt8>]
    private var last: Placement?
    /// The pixels under the last frame, if they are to be restored.
    private var saved: [SIMD4<UInt8>] = []

    /// Creates an empty canvas.
    init(size: PixelSize) {
        width = size.width
        pixels = Array(repeating: SIMD4(repeating: 0), count: size.width * size.height)
    }

    /// Disposes of the previous frame and draws this one, which consists of rows with four bytes per pixel.
    mutating func show(_ place: Placement, _ frame: [UInt8]) {
        if let last { dispose(last) }
        saved = []
        if place.disposal == .previous {
            for row in rows(of: place) { saved += pixels[row] }
        }
        frame.withUnsafeBytes { frame in
            var offset = 0
            for row in rows(of: place) {
                for index in row {
                    let pixel = frame.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt8>.self)
                    pixels[index] = place.blend == .source ? pixel : Self.blend(pixel, over: pixels[index])
                    offset += 4
                }
            }
        }
        last = place
    }

    func copy(to builder: inout BitmapBuilder) {
        builder.withBytes { target in
            target.withUnsafeMutableBytes { target in
                pixels.withUnsafeBytes { target.copyMemory(from: $0) }
            }
        }
    }

    private mutating func dispose(_ place: Placement) {
        var source = 0
        for row in rows(of: place) {
            switch place.disposal {
            case .none: return
            case .background: pixels.replaceSubrange(row, with: repeatElement(SIMD4(repeating: 0), count: row.count))
            case .previous: pixels.replaceSubrange(row, with: saved[source..<source + row.count])
            }
            source += row.count
        }
    }

    private func rows(of place: Placement) -> [Range<Int>] {
        (0..<place.size.height).map { row in
            let start = (place.y + row) * width + place.x
            return start..<start + place.size.width
        }
    }

    /// Blends straight colours, each weighted by its visible share. Rounds to nearest.
    static func blend(_ top: SIMD4<UInt8>, over bottom: SIMD4<UInt8>) -> SIMD4<UInt8> {
        if top[3] == 255 || bottom[3] == 0 { return top }
        if top[3] == 0 { return bottom }
        let (above, below) = (Int(top[3]) * 255, (255 - Int(top[3])) * Int(bottom[3]))
        let sum = above + below
        func colour(_ channel: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: (Int(top[channel]) * above + Int(bottom[channel]) * below + sum / 2) / sum)
        }
        return [colour(0), colour(1), colour(2), UInt8(truncatingIfNeeded: (sum + 127) / 255)]
    }
}
