#if canImport(ImageIO) || os(Linux) && JPEG && PNG
import Alcedo
import AlcedoTestSupport
import Foundation

/// The sequences of a ``LoadTask``.
enum SequenceRows {
    static let all = [
        reading("LoadTask.Events.Iterator.next()") { task, here in
            var events = task.events.makeAsyncIterator()
            defer { here.note() }
            while await events.next() != nil {}
        },
        reading("LoadTask.Events.Iterator.next(isolation: isolated (any Actor)?)") { task, here in
            var events = task.events.makeAsyncIterator()
            defer { here.note() }
            while await events.next(isolation: #isolation) != nil {}
        },
        reading("ImagePreviews.Iterator.next()") { task, here in
            var previews = task.previews.makeAsyncIterator()
            defer { here.note() }
            while await previews.next() != nil {}
        },
        reading("ImagePreviews.Iterator.next(isolation: isolated (any Actor)?)") { task, here in
            var previews = task.previews.makeAsyncIterator()
            defer { here.note() }
            while await previews.next(isolation: #isolation) != nil {}
        },
    ]

    private typealias Read = @Sendable (LoadTask<ImageResponse>, Resumption) async -> Void

    /// A row that reads a sequence to its end, with a preview on the way.
    private static func reading(_ name: String, _ read: @escaping Read) -> Row {
        Row(
            name,
            {
                let clock = ManualClock()
                let stage = try showingPreviews(clock)
                let jpeg = try Pictures.jpeg(160, 200)
                return Scenario(
                    .value, { await read(stage.loader.imageTask(for: stage.request), $0) },
                    meanwhile: {
                        let call = try await stage.transport.nextCall()
                        call.respond(expectedBytes: jpeg.count)
                        call.send(jpeg.prefix(jpeg.count / 2))
                        if name.contains("Previews") { clock.advance(to: try await clock.nextSleeper()) }
                        call.send(jpeg.dropFirst(jpeg.count / 2))
                        call.finish()
                    })
            },
            {
                let stage = try showingPreviews(ManualClock())
                let task = stage.loader.imageTask(for: stage.request)
                return Scenario(.value, cancelled: .beforeTheCall) {
                    await read(task, $0)
                    task.cancel()
                }
            },
            {
                let stage = try showingPreviews(ManualClock())
                let task = stage.loader.imageTask(for: stage.request)
                return Scenario(
                    .value, cancelled: .whileItWaits,
                    {
                        await read(task, $0)
                        task.cancel()
                    }, meanwhile: { _ = try await stage.transport.nextCall() })
            })
    }

    private static func showingPreviews(_ clock: ManualClock) throws -> LoaderStage {
        try LoaderStage { configuration in
            // The disk cache would sleep on the clock too.
            configuration.disk = nil
            configuration.clock = clock
            configuration.previews.minimumBytes = 0
        }
    }
}
#endif
