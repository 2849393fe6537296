/// Holds the frames of an animation against what its format can hold, as they come.
struct FrameChecks {
    let format: ImageFormat
    let size: PixelSize
    private(set) var count = 0
    private let limits = DecodeLimits()

    /// - Parameters:
    ///   - longestSide: what the format can hold.
    ///   - mostLoops: likewise; ``LoopCount/forever`` is always one that it can.
    init(
        _ format: ImageFormat, _ size: PixelSize, _ loopCount: LoopCount, longestSide: Int, mostLoops: Int
    ) throws(ImageLoaderError) {
        self.format = format
        self.size = size
        guard min(size.width, size.height) > 0, max(size.width, size.height) <= longestSide else {
            throw .encodingFailed(format, reason: "\(size) pixels, of at most \(longestSide) either way")
        }
        if case .times(let times) = loopCount, !(1...mostLoops).contains(times) {
            throw .encodingFailed(format, reason: "shown \(times) times, which is not within 1...\(mostLoops)")
        }
    }

    /// - Parameter longest: the longest delay that the format can tell.
    mutating func add(_ frame: AnimationFrame, longest: Duration) throws(ImageLoaderError) {
        count += 1
        guard count <= limits.frames else { throw .limitExceeded(.frames, value: count, allowed: limits.frames) }
        guard frame.bitmap.size == size else {
            throw .encodingFailed(format, reason: "frame \(count) is of \(frame.bitmap.size) pixels, not \(size)")
        }
        guard (.zero...longest).contains(frame.delay) else {
            throw .encodingFailed(
                format, reason: "frame \(count) is shown for \(frame.delay), which is not within 0...\(longest)")
        }
    }

    /// There must have been one.
    func finish() throws(ImageLoaderError) {
        guard count > 0 else { throw .encodingFailed(format, reason: "no frames") }
    }
}
