/// The canvas that the frames of an animation are drawn on (PNG third edition, section 11.3.6; RFC 9649, section
/// 2.7.2): RGBA, straight alpha.
///
/// The canvas starts transparent. Besides its own pixels, it keeps a copy of the area under a frame that will be
/// removed again.
struct AnimationCanvas {
    /// The change to a frame's area before the next frame is drawn.
    enum Disposal: UInt8, Sendable { case none, background, previous }
    /// Whether a frame replaces what is on the canvas or is blended over it.
    enum Blend: UInt8, Sendable { case source, over }

    /// The place of a frame within the canvas, and the way the frame is drawn.
    struct Placement: Sendable {
        var x: Int
        var y: Int
        var size: PixelSize
        var disposal: Disposal
        var blend: Blend
    }

    private let size: PixelSize
    /// Empty until the first frame is drawn.
    private var pixels: ContiguousArray<SIMD4<UInt8>> = []
    private var last: Placement?
    /// The pixels under the last frame, if they are to be restored.
    private var saved: [SIMD4<UInt8>] = []

    init(size: PixelSize) { self.size = size }

    /// Disposes of the previous frame and draws this one.
    ///
    /// - Parameter decode: Writes all pixels of the frame, in rows that begin `bytesPerRow` apart. A frame that
    ///   replaces the canvas is decoded in place, any other into a separate layer.
    mutating func draw(
        _ place: Placement,
        _ decode: (_ target: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws(ImageLoaderError) -> Void
    ) throws(ImageLoaderError) {
        if pixels.isEmpty { pixels = ContiguousArray(repeating: .zero, count: size.width * size.height) }
        if let last { dispose(last) }
        last = place
        saved = place.disposal == .previous ? rows(of: place).flatMap { pixels[$0] } : []
        guard place.blend == .over else {
            let (start, bytesPerRow) = ((place.y * size.width + place.x) * 4, size.width * 4)
            var span = pixels.mutableSpan
            return try span.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
                try decode(UnsafeMutableRawBufferPointer(rebasing: pixels[start...]), bytesPerRow)
            }
        }
        var layer = ContiguousArray<SIMD4<UInt8>>(repeating: .zero, count: place.size.width * place.size.height)
        var span = layer.mutableSpan
        try span.withUnsafeMutableBytes { (layer) throws(ImageLoaderError) in try decode(layer, place.size.width * 4) }
        var above = 0
        for row in rows(of: place) {
            for index in row {
                pixels[index] = Self.blend(layer[above], over: pixels[index])
                above += 1
            }
        }
    }

    func copy(to builder: inout BitmapBuilder) {
        builder.withUnsafeMutableBytes { target in
            pixels.withUnsafeBytes { target.copyMemory(from: $0) }
        }
    }

    private mutating func dispose(_ place: Placement) {
        var source = 0
        for row in rows(of: place) {
            switch place.disposal {
            case .none: return
            case .background: pixels.replaceSubrange(row, with: repeatElement(.zero, count: row.count))
            case .previous: pixels.replaceSubrange(row, with: saved[source..<source + row.count])
            }
            source += row.count
        }
    }

    private func rows(of place: Placement) -> [Range<Int>] {
        (place.y..<place.y + place.size.height).map { y in
            let start = y * size.width + place.x
            return start..<start + place.size.width
        }
    }

    /// Blends straight colors, each weighted by its visible share. Rounds to nearest.
    static func blend(_ top: SIMD4<UInt8>, over bottom: SIMD4<UInt8>) -> SIMD4<UInt8> {
        let alpha = UInt32(top[3])
        if alpha == 255 || bottom[3] == 0 { return top }
        if alpha == 0 { return bottom }
        // Both in units of 1/255², so that nothing is rounded before the end.
        let (above, below) = (alpha * 255, (255 - alpha) * UInt32(bottom[3]))
        let sum = above + below
        func color(_ channel: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: (UInt32(top[channel]) * above + UInt32(bottom[channel]) * below + sum / 2) / sum)
        }
        return [color(0), color(1), color(2), UInt8(truncatingIfNeeded: (sum + 127) / 255)]
    }
}
