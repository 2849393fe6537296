import Alcedo
import CGif
import Foundation

enum AnimationCases {
    #if GIF
    static let all: [BenchCase] = [
        .timed(
            "decode/gif-frames", target: giflib == nil ? nil : 1, operationsPerCall: frames.frames,
            ours: { try decodeFrames() },
            baseline: giflib),
        .peak(
            "animation/gif-300-peak", target: 1, prepare: { try file.write(to: $0) },
            ours: { try await play(file.read(in: $0)) },
            // Plays something tiny first, to load the same code: a megabyte or more that isn't caused by the image.
            baseline: .child("its file and 4 MB") {
                try await play(tiny.data(pictures: 2))
                try file.hold(in: $0, and: 4_000_000)
            }),
    ]
    #else
    static let all: [BenchCase] = []
    #endif

    /// nil if giflib is missing.
    private static let giflib: TimedCase.Baseline? =
        gif_available() ? TimedCase.Baseline("giflib", setUp: { try decodeWithGiflib() }) : nil

    private static let frames = NoisyGIF(width: 800, height: 600, frames: 4)
    private static let tiny = NoisyGIF(width: 8, height: 8, frames: 100)
    private static let file = SampleFile(name: "played.gif") {
        NoisyGIF(width: 800, height: 600, frames: 300).data(pictures: 2)
    }

    #if GIF
    /// One operation is one frame, delivered as its own bitmap.
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

    /// One operation is one frame, drawn onto the canvas.
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

    /// Shows all frames once, in order, as fast as they are decoded.
    private static func play(_ data: Data) async throws {
        let animation = try animation(data)
        for index in 0..<animation.frameCount { try await show(animation, index) }
    }

    private static func animation(_ data: Data) throws -> AnimatedImage {
        guard let animation = try ImageDecoders.builtIn.decode(data).animation else { throw BenchError("no animation") }
        return animation
    }

    private static func show(_ animation: AnimatedImage, _ index: Int) async throws {
        blackHole(try await animation.frame(at: index))
    }
    #endif
}
