import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// Processors on one thread, compared with Pillow and libvips if these are installed, and the cost of chains.
enum ProcessCases {
    static let all: [BenchCase] = [
        picture("process/resize-12mp-1mp", .resize, large, resize),
        picture("process/resize-12mp-1mp-vips", .vipsResize, large, resize),
        peak("process/resize-12mp-peak", output: 4 * 1_155 * 866, resize),
        picture("process/blur-12mp-r20", .blur, large, blur),
        picture("process/blur-12mp-r20-vips", .vipsBlur, large, blur),
        peak("process/blur-12mp-peak", output: 48_000_000, blur),
        picture("process/corners-1mp", .corners, small, .roundedCorners(radius: .pixels(60))),
        blend("process/blend-1mp", .blend),
        blend("process/blend-1mp-vips", .vipsBlend),
        .counted("process/chain-shared", target: 4, unit: .count) { try await sharedRuns() },
        .timed("process/identity", target: 400, ours: { try identities { ImageKey($0).hashValue } }),
        .timed("process/request", target: 400, ours: { try identities { $0.hashValue } }),
    ]

    private static let resize = ResizeProcessor.resize(to: PixelSize(width: 1_155, height: 866))
    private static let blur = BlurProcessor.blur(radius: 20)

    private static func picture(
        _ name: String, _ operation: PythonPictures.Operation, _ make: @escaping @Sendable () throws -> Bitmap,
        _ processor: any ImageProcessing
    ) -> BenchCase {
        .counted(name, target: operation.target, baselineName: operation.library, unit: .nanoseconds) {
            try await measured(operation, make(), processor)
        }
    }

    private static func blend(_ name: String, _ operation: PythonPictures.Operation) -> BenchCase {
        .counted(name, target: operation.target, baselineName: operation.library, unit: .nanoseconds) {
            try await measured(operation, small(), .blend(small()))
        }
    }

    /// The peak memory beyond the two images and 64 rows of the larger one.
    private static func peak(_ name: String, output: Int, _ processor: any ImageProcessing) -> BenchCase {
        .peak(
            name, target: 1, ours: { _ in try process(large(), processor) },
            baseline: .child("input, output and 64 rows") { _ in
                // Something tiny is processed first, to load the same code.
                try process(PhotoPicture.make(width: 8, height: 8), processor)
                let input = try large()
                blackHole([UInt8](repeating: 1, count: output + 64 * input.bytesPerRow))
                blackHole(input)
            })
    }

    private static func process(_ picture: Bitmap, _ processor: any ImageProcessing) throws {
        blackHole(try processor.process(picture, ProcessingContext(originalSize: picture.size)))
    }

    @Sendable private static func large() throws -> Bitmap { try PhotoPicture.make(width: 4_000, height: 3_000) }
    @Sendable private static func small() throws -> Bitmap { try PhotoPicture.make(width: 1_000, height: 1_000) }

    private static func measured(
        _ operation: PythonPictures.Operation, _ picture: Bitmap, _ processor: any ImageProcessing
    ) async throws -> Measurement {
        let python = await PythonPictures.start(operation)
        let context = ProcessingContext(originalSize: picture.size)
        var measurement = try await RepeatedRounds.measure(15) {
            let clock = ContinuousClock()
            let time = try clock.measure { blackHole(try processor.process(picture, context)) }
            return Double(time.attoseconds / 1_000_000_000)
        } baseline: {
            try await python?.time() ?? 0
        }
        if python == nil { measurement.baseline = [] }
        return measurement
    }

    // MARK: Chains

    /// A processor that counts its runs.
    private struct Counted: ImageProcessing {
        let number: Int
        let runs: Runs

        final class Runs: Sendable {
            let count = Atomic(0)
        }

        func identify(in identity: inout ProcessorIdentity) { identity.add(number) }

        func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap {
            runs.count.add(1, ordering: .relaxed)
            return picture
        }
    }

    /// The number of processor runs for two concurrent requests that share the first two of their three processors.
    private static func sharedRuns() async throws -> Measurement {
        let runs = Counted.Runs()
        let answers = HeldAnswers()
        let loader = Scripted.loader(ScriptedNetwork(.held(answers)))
        let url = try Scripted.url("shared.jpg")
        let tasks = [3, 4].map { last in
            var request = ImageRequest(url: url)
            request.processors = [1, 2, last].map { Counted(number: $0, runs: runs) }
            return loader.imageTask(for: request)
        }
        while await !loader.isLoading(ImageRequest(url: url)) { await Task.yield() }
        answers.open()
        for task in tasks { blackHole(try await task.image) }
        var measurement = Measurement()
        measurement.ours = [Double(runs.count.load(ordering: .relaxed))]
        measurement.isCounted = true
        return measurement
    }

    /// Builds a request with three processors, and hashes it or its key.
    private static func identities(_ hash: @escaping @Sendable (ImageRequest) -> Int) throws -> Workload {
        let url = try Scripted.url("identity.jpg")
        let size = PixelSize(width: 100, height: 100)
        return Workload { count in
            for _ in 0..<count {
                var request = ImageRequest(url: url)
                request.processors = [.resize(to: size), .blur(radius: 4), .circle()]
                blackHole(hash(request))
            }
        }
    }
}
