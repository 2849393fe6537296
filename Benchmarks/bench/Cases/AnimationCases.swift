import Alcedo
import CGif
import Foundation

/// Animations.
enum AnimationCases {
    #if GIF
    static let all: [BenchCase] = [
        .timed(
            "decode/gif-frames", target: 1, operationsPerCall: frames.frames, ours: { try decodeFrames() },
            baseline: giflib),
        // The file has 57 MB: so the target is 4 MB above it.
        .peak(
            "animation/gif-300-peak", target: 1.07, ours: { try await play() },
            baseline: .child("its file alone") { blackHole(played.data(pictures: 2)) }),
    ]
    #else
    static let all: [BenchCase] = []
    #endif

    /// nil where it is missing.
    private static let giflib: TimedCase.Baseline? =
        gif_available() ? TimedCase.Baseline("giflib", setUp: { try decodeWithGiflib() }) : nil

    private static let frames = NoisyGIF(width: 800, height: 600, frames: 4)
    private static let played = NoisyGIF(width: 800, height: 600, frames: 300)

    #if GIF
    /// An operation is a frame, handed out as a bitmap of its own.
    private static func decodeFrames() throws -> Workload {
        let data = frames.data(pictures: 4)
        let decoder = GIFDecoder()
        let header = try decoder.header(of: data, limits: DecodeLimits())
        let picture = try decoder.decodeStored(data, header, atLeast: nil, DecodeRequest())
        guard let animation = picture.animation else { throw BenchError("no animation") }
        return Workload { iterations in
            for _ in 0..<iterations { try makeAll(of: animation) }
        }
    }

    private static func makeAll(of animation: any AnimationReading) throws(ImageLoaderError) {
        var frames = try animation.makeFrames()
        for _ in 0..<self.frames.frames { blackHole(try frames.next()) }
    }

    /// An operation is a frame, drawn onto the canvas.
    private static func decodeWithGiflib() throws -> Workload {
        let data = frames.data(pictures: 4)
        return Workload { iterations in
            for _ in 0..<iterations {
                let count = data.withUnsafeBytes { bytes in
                    gif_decode_all(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
                }
                guard count == frames.frames else { throw BenchError("giflib read \(count) frames") }
            }
        }
    }

    /// Shows all frames once, one after the other, as fast as they come.
    private static func play() async throws {
        let data = played.data(pictures: 2)
        guard let animation = try ImageDecoders.builtIn.decode(data).animation else { throw BenchError("no animation") }
        var shown = try await animation.frame(at: 0)
        for index in 1..<animation.frameCount {
            shown = try await animation.frame(at: index)
            blackHole(shown)
        }
    }
    #endif
}
