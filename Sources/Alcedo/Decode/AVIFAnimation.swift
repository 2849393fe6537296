#if os(Linux) && AVIF
import Foundation

/// The frames of an AVIF sequence. Holds the file's bytes.
struct AVIFAnimation: AnimationReading {
    private let data: Data
    private let limits: DecodeLimits
    let size: PixelSize
    let delays: [Duration]
    var loopCount: LoopCount { .forever }
    var file: Data? { data }

    init(_ data: Data, _ file: AVIFFile, _ limits: DecodeLimits) {
        self.data = data
        self.limits = limits
        size = file.size
        delays = file.delays
    }

    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading {
        AVIFFrames(file: try AVIFFile.open(data, limits: limits), limits: limits)
    }
}

private struct AVIFFrames: FrameReading {
    let file: AVIFFile
    let limits: DecodeLimits

    mutating func next() throws(ImageLoaderError) -> Bitmap { try file.nextFrame(limits) }
}
#endif
