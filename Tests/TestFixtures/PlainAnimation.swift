import Alcedo
import AlcedoTestSupport
import Foundation

/// Frames, of 2 × 2 pixels by default, whose red is their index.
struct PlainAnimation: AnimationReading {
    var size = PixelSize(width: 2, height: 2)
    let delays: [Duration]
    var loopCount = LoopCount.forever
    var file: Data?
    /// The index of the first frame that can't be made.
    var broken = Int.max
    var gate: ThreadGate?
    /// The index of the first frame that waits for the gate.
    var firstGated = 0
    /// The indices of the frames that were made.
    let made = Recorder<Int>()
    /// The number of frames that each released reader had made.
    let released = Recorder<Int>()

    init(count: Int, broken: Int = .max, gate: ThreadGate? = nil) {
        delays = Array(repeating: .milliseconds(50), count: count)
        (self.broken, self.gate) = (broken, gate)
    }

    init(delays: [Duration], loopCount: LoopCount = .forever) {
        (self.delays, self.loopCount) = (delays, loopCount)
    }

    func makeFrames() -> sending any FrameReading { Frames(animation: self) }

    private final class Frames: FrameReading {
        let animation: PlainAnimation
        var index = 0

        init(animation: PlainAnimation) { self.animation = animation }

        deinit { animation.released.record(index) }

        func next() throws(ImageLoaderError) -> Bitmap {
            precondition(WorkerThreads.isCurrent, "a frame is made on a thread that must not block")
            if index >= animation.firstGated { animation.gate?.enter() }
            guard index < animation.broken else { throw .corruptImage(.gif, reason: "broken") }
            var builder = try BitmapBuilder(size: animation.size)
            builder.withBytes { bytes in
                for offset in stride(from: 0, to: bytes.byteCount, by: 4) {
                    bytes.storeBytes(
                        of: SIMD4(UInt8(truncatingIfNeeded: index), 0, 0, 255), toByteOffset: offset,
                        as: SIMD4<UInt8>.self)
                }
            }
            animation.made.record(index)
            index += 1
            return builder.freeze()
        }
    }
}
