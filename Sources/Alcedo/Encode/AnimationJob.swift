import Foundation
import Synchronization

/// Encodes an animation while decoding it, each frame on any free thread.
final class AnimationJob: Sendable {
    private let delays: [Duration]
    private let reader: FrameReader
    /// Never contended: there is only one frame at a time.
    private let writer: Mutex<any AnimationWriting>

    /// - Parameters:
    ///   - delays: one for each frame.
    ///   - loopCount: nil for the animation's own.
    ///   - profile: the profile of the frames' colors; nil to write them as they are.
    init(
        _ animation: AnimatedImage, delays: [Duration], loopCount: LoopCount? = nil, profile: Data?,
        _ encoder: some AnimationEncoding
    ) throws(ImageLoaderError) {
        self.delays = delays
        reader = animation.makeReader()
        let loopCount = loopCount ?? animation.loopCount
        writer = Mutex(try encoder.makeWriter(size: animation.size, loopCount: loopCount, profile: profile))
    }

    /// Encodes all frames and returns the file.
    func run() async throws(ImageLoaderError) -> Data {
        for index in delays.indices {
            try await EncodingThreads.run { [self] () throws(ImageLoaderError) in try append(index) }
        }
        return try await EncodingThreads.run { [self] () throws(ImageLoaderError) in try finish() }
    }

    /// Encodes all frames on this thread and returns the file.
    ///
    /// - Throws: ``ImageLoaderError/cancelled`` once `isWanted` returns false.
    func run(while isWanted: () -> Bool) throws(ImageLoaderError) -> Data {
        for index in delays.indices {
            if !isWanted() { throw .cancelled }
            try append(index)
        }
        return try finish()
    }

    private func append(_ index: Int) throws(ImageLoaderError) {
        let job = FrameQueue<Bitmap>.Job(index: index, isStart: index == 0, isSeen: true)
        guard let frame = try reader.make(job).get() else { return }
        try writer.withLock { (writer) throws(ImageLoaderError) in
            try writer.append(AnimationFrame(frame, delay: delays[index]))
        }
    }

    private func finish() throws(ImageLoaderError) -> Data {
        try writer.withLock { (writer) throws(ImageLoaderError) in try writer.finish() }
    }
}
