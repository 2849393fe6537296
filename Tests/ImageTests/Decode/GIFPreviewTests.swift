import AlcedoTestSupport

#if GIF
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct GIFPreviewTests {
    private let file: Data
    private let frames: [Bitmap]

    init() throws {
        frames = try (0..<3).map { try Pictures.plain(20, 10, [UInt8($0 * 80), 40, 20, 255]) }
        file = try GIFEncoder().encode(frames.map { AnimationFrame($0, delay: .milliseconds(100)) })
    }

    /// What is shown of the first bytes of a file.
    private func preview(of head: Data, _ request: DecodeRequest = DecodeRequest()) throws -> PartialImage? {
        let decoder = GIFDecoder()
        do throws(ImageLoaderError) {
            guard let header = try decoder.previewHeader(head, request) else { return nil }
            let reader = try decoder.previewReader(head, header, request)
            let part = try reader.preview(DecodeCancellation())
            #expect(throws: ImageLoaderError.self) { try reader.preview(DecodeCancellation()) }
            #expect(part?.bitmap.size == header.size)
            return part
        } catch .corruptImage {
            return nil
        }
    }

    @Test func firstImage_isShown_onceItIsComplete() throws {
        let blocks = try GIFBlocks(scanning: file.span, limits: DecodeLimits())
        let second = try #require(blocks.frames.dropFirst().first?.dataOffset)
        let counts = try (0...file.count).filter { try preview(of: file.prefix($0)) != nil }
        let first = try #require(counts.first)
        #expect(counts == Array(first...file.count) && first < second)
        let part = try #require(try preview(of: file.prefix(first)))
        #expect(part.bitmap == frames[0] && part.coverage == 1 && part.quality == .final && part.reduction == 1)
    }

    @Test func damagedFiles_areImagesOrErrors() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for _ in 0..<Fuzz.steps / 50 {
            var bytes = [UInt8](file)
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var request = DecodeRequest()
            request.limits.pixels = 1 << 16
            do {
                _ = try preview(of: Data(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))), request)
            } catch ImageLoaderError.limitExceeded {
                // The canvas has become too large.
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) @MainActor
    func slot_showsTheFirstImage_untilTheAnimationIsThere() async throws {
        var fixture = try SlotFixture()
        fixture.loaders.configuration.previews.minimumBytes = 0
        fixture.loaders.configuration.previews.interval = .zero
        fixture.loaders.configuration.previews.maximumTimeShare = 1
        fixture.loaders.configuration.decode.maximumConcurrentDecodes = 2
        let (slot, watcher) = fixture.slot { $0.showsPreviews = true }
        slot.load(try .test("a.gif"))
        let call = try await fixture.transport.nextCall()
        call.respond(expectedBytes: file.count)
        call.send(file.dropLast(5))
        await watcher.changes.wait { $0.last?.hasSuffix("preview 20") == true }
        #expect(slot.shown.picture.bitmap == frames[0])
        call.send(file.suffix(5))
        call.finish()
        await watcher.until("success 20 | image 20 fading")
        #expect(slot.phase.response?.image.animation?.frameCount == 3)
    }
}
#endif
