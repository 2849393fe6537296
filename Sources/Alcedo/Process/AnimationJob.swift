import Foundation
import Synchronization

/// One animation that is written while it is read, for whichever thread has the next frame to do.
final class AnimationJob: Sendable {
    private let animation: AnimatedImage
    private let reader: FrameReader
    /// One frame is done at a time: nobody waits for this.
    private let writer: Mutex<any AnimationWriting>

    init(_ animation: AnimatedImage, _ encoder: some AnimationEncoding) throws(ImageLoaderError) {
        self.animation = animation
        reader = animation.makeReader()
        writer = Mutex(try encoder.makeWriter(size: animation.size, loopCount: animation.loopCount))
    }

    /// Adds the frame at `index`: all of them, in order.
    func add(_ index: Int) async throws(ImageLoaderError) {
        try await EncodingThreads.run { [self] () throws(ImageLoaderError) in
            let frame = try reader.make(FrameQueue<Bitmap>.Job(index: index, isStart: index == 0, isSeen: true)).get()
            guard let frame else { return }
            try writer.withLock { (writer) throws(ImageLoaderError) in
                try writer.append(AnimationFrame(frame, delay: animation.delays[index]))
            }
        }
    }

    func finish() async throws(ImageLoaderError) -> Data {
        try await EncodingThreads.run { [self] () throws(ImageLoaderError) in
            try writer.withLock { (writer) throws(ImageLoaderError) in try writer.finish() }
        }
    }
}
