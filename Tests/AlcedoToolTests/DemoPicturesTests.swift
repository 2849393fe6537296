import Alcedo
import Foundation
import Synchronization
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct DemoPicturesTests {
    /// Drawn once for the tests that look at them.
    private static let pictures = Task { try await DemoPictures(reduction: 16).make() }

    @Test func pictures_areReproducible() async throws {
        let pictures = DemoPictures(reduction: 32)
        let (first, second) = (try await pictures.make(), try await pictures.make())
        #expect(first.map(\.name) == second.map(\.name))
        #expect(first.map(\.bytes) == second.map(\.bytes))
    }

    @Test func pictures_areSixtyDistinctImages() async throws {
        let pictures = try await Self.pictures.value
        #expect(pictures.count == 60)
        #expect(Set(pictures.map(\.name)).count == 60)
        #expect(Set(pictures.map(\.bytes)).count == 60)
        for picture in pictures {
            let image = try ImageDecoders.builtIn.decode(picture.bytes)
            #expect(image.format == (picture.name.hasSuffix(".png") ? .png : .jpeg), "\(picture.name)")
        }
        let badge = try #require(pictures.last)
        let bitmap = try ImageDecoders.builtIn.decode(badge.bytes).bitmap
        #expect(bitmap[0, 0] == [0, 0, 0, 0])
        #expect(bitmap[bitmap.size.width / 2, bitmap.size.height / 2].w < 255)
    }

    @Test func pictures_areDrawnOnTheThreads() async throws {
        let started = Atomic(0)
        let threads = WorkerThreads("test", count: 1) { label, body in
            started.add(1, ordering: .relaxed)
            return SystemThread.start(label, body)
        }
        let pictures = DemoPictures(reduction: 32, threads: threads)
        #expect(try await pictures.make().count == 60)
        #expect(started.load(ordering: .relaxed) > 0)
        #expect(try await pictures.draw { WorkerThreads.isCurrent })
    }

    /// Even if the threads are busy.
    @Test func cancelledDrawing_endsAtOnce() async throws {
        let threads = WorkerThreads("test", count: 1)
        let busy = DispatchSemaphore(value: 0)
        threads.submit { busy.wait() }
        defer { busy.signal() }
        let drawing = Task { try await DemoPictures(reduction: 16, threads: threads).make() }
        drawing.cancel()
        await #expect(throws: CancellationError.self) { try await drawing.value }
    }

    @Test func sizes_areDividedByTheReduction() async throws {
        let sizes = try await Self.pictures.value.prefix(5).map {
            try ImageDecoders.builtIn.decode($0.bytes).size.description
        }
        #expect(sizes == ["20 × 15", "40 × 30", "50 × 75", "80 × 53", "100 × 75"])
    }

    @Test func landscape_isOpaque_andDeterminedByItsSeed() {
        let (one, same) = (Landscape(seed: 1, width: 40, height: 30), Landscape(seed: 1, width: 40, height: 30))
        let other = Landscape(seed: 2, width: 40, height: 30)
        var differences = 0
        for y in 0..<30 {
            for x in 0..<40 {
                let color = one.color(x, y)
                #expect(color.w == 255)
                #expect(same.color(x, y) == color)
                if other.color(x, y) != color { differences += 1 }
            }
        }
        #expect(differences > 600)
    }

    @Test func landscape_hasManyColors() {
        let scene = Landscape(seed: 7, width: 40, height: 30)
        let (sky, ground) = (scene.color(20, 0), scene.color(20, 29))
        #expect(Int(sky.x) + Int(sky.y) + Int(sky.z) > Int(ground.x) + Int(ground.y) + Int(ground.z))
        let colors = Set((0..<30).flatMap { y in (0..<40).map { x in scene.color(x, y) } })
        #expect(colors.count > 100)
    }

    @Test(arguments: [1, 2, 3, 1000] as [UInt64])
    func onePixelLandscape_isDrawn(_ seed: UInt64) {
        #expect(Landscape(seed: seed, width: 1, height: 1).color(0, 0).w == 255)
    }
}
