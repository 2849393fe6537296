/// Checks the frames of an animation against what its format supports, as they are added.
struct FrameChecks {
    let format: ImageFormat
    let size: PixelSize
    /// The number of times that the animation plays, limited to what the format supports; 0 for endlessly.
    let plays: Int
    /// The number of frames added.
    private(set) var count = 0
    /// The error of the first rejected frame; no frame is accepted after it.
    private var failure: ImageLoaderError?
    private let limits = DecodeLimits()

    /// - Parameters:
    ///   - longestSide: the longest side that the format supports.
    ///   - mostPlays: the highest loop count that the format supports, which higher ones are lowered to;
    ///     ``LoopCount/forever`` is always supported.
    init(
        _ format: ImageFormat, _ size: PixelSize, _ loopCount: LoopCount, longestSide: Int, mostPlays: Int
    ) throws(ImageLoaderError) {
        self.format = format
        self.size = size
        guard min(size.width, size.height) > 0, max(size.width, size.height) <= longestSide else {
            throw .encodingFailed(format, reason: "\(size) pixels, of at most \(longestSide) either way")
        }
        if case .times(let times) = loopCount, times < 1 {
            throw .encodingFailed(format, reason: "shown \(times) times")
        }
        plays = min(loopCount.plays, mostPlays)
    }

    /// - Parameter encode: encodes the frame; called only if the frame passes the checks.
    mutating func add<Part>(
        _ frame: AnimationFrame, _ encode: () throws(ImageLoaderError) -> Part
    ) throws(ImageLoaderError) -> Part {
        do throws(ImageLoaderError) {
            if let failure { throw failure }
            try check(frame, number: count + 1)
            let part = try encode()
            count += 1
            return part
        } catch {
            failure = error
            throw error
        }
    }

    private func check(_ frame: AnimationFrame, number count: Int) throws(ImageLoaderError) {
        try limits.check(frames: count)
        guard frame.bitmap.size == size else {
            throw .encodingFailed(format, reason: "frame \(count) is of \(frame.bitmap.size) pixels, not \(size)")
        }
        guard frame.delay >= .zero else {
            throw .encodingFailed(format, reason: "frame \(count) is shown for \(frame.delay)")
        }
    }

    /// Throws unless there was at least one frame and none was rejected.
    func finish() throws(ImageLoaderError) {
        if let failure { throw failure }
        guard count > 0 else { throw .encodingFailed(format, reason: "no frames") }
    }
}
