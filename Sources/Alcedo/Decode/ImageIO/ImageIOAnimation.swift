#if canImport(ImageIO)
import CoreGraphics
import Foundation

/// The frames of an animated file, which ImageIO composes. Holds the file's bytes.
struct ImageIOAnimation: AnimationReading {
    let data: Data
    let kind: ImageIODecoder.Format
    let size: PixelSize
    let delays: [Duration]
    let loopCount: LoopCount
    let limits: DecodeLimits
    /// The profile that the frames' colors are converted to; nil for sRGB.
    var profile: Data?

    var file: Data? { data }

    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading { try ImageIOFrames(self) }
}

/// Decodes the frames of an animated file one after another.
private struct ImageIOFrames: FrameReading {
    private let file: ImageIOFile
    private let animation: ImageIOAnimation
    private var index = 0

    init(_ animation: ImageIOAnimation) throws(ImageLoaderError) {
        file = try ImageIOFile(animation.data, animation.kind)
        self.animation = animation
    }

    mutating func next() throws(ImageLoaderError) -> Bitmap {
        let format = animation.kind.format
        guard index < animation.delays.count else { throw .corruptImage(format, reason: "has no more frames") }
        let image = try file.image(at: index)
        guard image.size == animation.size else {
            throw .corruptImage(format, reason: "a frame of \(image.size) instead of \(animation.size)")
        }
        index += 1
        return try image.bitmap(in: animation.profile, format, animation.limits)
    }
}
#endif
