import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// Processors, on one thread, compared with Pillow if that is installed; and what their chains cost.
enum ProcessCases {
    static let all: [BenchCase] = [
        picture("process/resize-12mp-1mp", "resize", large, .resize(to: PixelSize(width: 1155, height: 866))),
        picture("process/blur-12mp-r20", "blur", large, .blur(radius: 20)),
        picture("process/corners-1mp", "corners", small, .roundedCorners(radius: .pixels(60))),
        .counted("process/blend-1mp", target: 1, baselineName: "Pillow", unit: .nanoseconds) {
            try await measured("blend", small(), .blend(small()))
        },
        .counted("process/chain-shared", target: 4, unit: .count) { try await sharedRuns() },
        .timed("process/identity", target: 400, ours: { try identities() }),
    ]

    private static func picture(
        _ name: String, _ operation: String, _ make: @escaping @Sendable () throws -> Bitmap,
        _ processor: any ImageProcessing
    ) -> BenchCase {
        .counted(name, target: 1, baselineName: "Pillow", unit: .nanoseconds) {
            try await measured(operation, make(), processor)
        }
    }

    @Sendable private static func large() throws -> Bitmap { try PhotoPicture.make(width: 4_000, height: 3_000) }
    @Sendable private static func small() throws -> Bitmap { try PhotoPicture.make(width: 1_000, height: 1_000) }

    private static func measured(
        _ operation: String, _ picture: Bitmap, _ processor: any ImageProcessing
    ) async throws -> Measurement {
        let pillow = await Pillow.start()
        let context = ProcessingContext(originalSize: picture.size)
        var measurement = try await RepeatedRounds.measure(15) {
            let clock = ContinuousClock()
            let time = try clock.measure { blackHole(try processor.process(picture, context)) }
            return Double(time.attoseconds / 1_000_000_000)
        } baseline: {
            try await pillow?.time(operation) ?? 0
        }
        if pillow == nil { measurement.baseline = [] }
        return measurement
    }

    // MARK: Chains

    /// Counts its runs.
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

    /// Runs of the processors of two requests at once that share the first two of three.
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

    /// Building a request with three processors, and hashing it and its key.
    private static func identities() throws -> Workload {
        let url = try Scripted.url("identity.jpg")
        let size = PixelSize(width: 100, height: 100)
        return Workload { count in
            for _ in 0..<count {
                var request = ImageRequest(url: url)
                request.processors = [.resize(to: size), .blur(radius: 4), .circle()]
                blackHole(ImageKey(request).hashValue)
            }
        }
    }
}
