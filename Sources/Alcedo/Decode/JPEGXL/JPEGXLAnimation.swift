#if os(Linux) && JPEGXL
import Foundation

/// The frames of an animated JPEG XL. Holds the file's bytes.
struct JPEGXLAnimation: AnimationReading {
    private let data: Data
    private let limits: DecodeLimits
    let size: PixelSize
    let delays: [Duration]
    let loopCount: LoopCount
    var file: Data? { data }

    init(_ data: Data, _ file: JPEGXLFile, _ limits: DecodeLimits) {
        self.data = data
        self.limits = limits
        size = file.size
        delays = file.delays
        loopCount = file.loopCount
    }

    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading {
        JPEGXLAnimationFrames(file: try JPEGXLFile.open(data, limits), limits: limits)
    }
}

private struct JPEGXLAnimationFrames: FrameReading {
    let file: JPEGXLFile
    let limits: DecodeLimits

    mutating func next() throws(ImageLoaderError) -> Bitmap { try file.nextFrame(limits) }
}
#endif
