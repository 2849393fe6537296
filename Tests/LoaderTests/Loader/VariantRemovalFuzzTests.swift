import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Random variants of random images, in memory and on disk: a removal takes all those of one image and no other.
@Suite(.timeLimit(.minutes(Fuzz.isLong ? 60 : 2)), .overEachStore) struct VariantRemovalFuzzTests {
    private static let headers: HTTPHeaders = ["Cache-Control": "max-age=86400"]
    private let fixture: LoaderFixture
    private let loader: ImageLoader
    private let processors: [any ImageProcessing]

    init() throws {
        let (still, animation) = (try Pictures.png(40, 30), GIFFixture.animation(3).data)
        var fixture = try LoaderFixture(
            ScriptedDataLoader { .bytes($0.url.path.contains("gif") ? animation : still, headers: Self.headers) })
        fixture.configuration.disk?.contents = .both
        self.fixture = fixture
        loader = fixture.makeLoader()
        let runs = CountingProcessor.Runs()
        processors = [
            CountingProcessor(1, runs), CountingProcessor(2, runs), .gray(), .opacity(0.5), .rotate(.clockwise),
        ]
    }

    private func variant(of path: String, _ random: inout SeededRandom) throws -> ImageRequest {
        try .test(path) {
            if Bool.random(using: &random) {
                $0.targetSize = PixelSize(
                    width: Int.random(in: 1...60, using: &random), height: Int.random(in: 1...60, using: &random))
                $0.contentMode = DecodeTarget.ContentMode.allCases.randomElement(using: &random) ?? .fit
                $0.allowsUpscaling = Bool.random(using: &random)
                $0.roundsTargetSize = Bool.random(using: &random)
            }
            $0.frames = Bool.random(using: &random) ? .first : .all
            $0.scale = [ImageScale.factor(1), .factor(3), .fromName].randomElement(using: &random) ?? .fromName
            $0.convertsToSRGB = Bool.random(using: &random)
            $0.processors = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                processors[Int.random(in: 0..<processors.count, using: &random)]
            }
        }
    }

    /// - Parameter count: The greatest number of variants.
    private func variants(of path: String, _ count: Int, _ random: inout SeededRandom) throws -> [ImageRequest] {
        try (0..<Int.random(in: 1...count, using: &random)).map { _ in try variant(of: path, &random) }
    }

    /// Whether all of these variants are there, or none.
    private func mustBe(_ isThere: Bool, _ requests: [ImageRequest], in tier: CacheTiers, _ round: Int) async {
        for request in requests {
            let note =
                "\(loader.key(for: request).variant.text), \(isThere ? "lost" : "left") in \(tier), round \(round)"
            must(await loader.contains(request, in: tier) == isThere, note)
            guard tier == .memory else { continue }
            must((loader.cachedImage(for: request) != nil) == isThere, note)
            if isThere { continue }
            var larger = request
            larger.precision = .atLeast
            must(loader.cachedImage(for: larger) == nil, note)
        }
    }

    /// The names of a URL's entries on disk.
    private func entries(of path: String) async throws -> (names: Set<String>, processedCount: Int) {
        let url = try URL.test(path).absoluteString
        let entries = try await loader.storedEntries().filter { $0.key.source == url }
        return (Set(entries.map(\.key.digest)), entries.count(where: \.isProcessed))
    }

    @Test func removal_takesAllVariantsOfOneImage() async throws {
        var random = SeededRandom(seed: Fuzz.seed)
        var processedCount = 0
        for round in 0..<max(4, Fuzz.steps / 2_500) {
            let path = "\(round)/\(["a@2x.png", "a@2x.gif"].randomElement(using: &random) ?? "")"
            let other = path + (["?size=2", "/b.png", "g"].randomElement(using: &random) ?? "")
            let (removed, kept) = (try variants(of: path, 5, &random), try variants(of: other, 3, &random))
            for request in (removed + kept).shuffled(using: &random) { _ = try await loader.image(for: request) }
            await mustBe(true, removed + kept, in: .memory, round)
            // Else the removal may find images that are still to be stored.
            let isWritten = Bool.random(using: &random)
            if isWritten {
                await loader.flush()
                await mustBe(true, removed + kept, in: .disk, round)
                processedCount += try await entries(of: path).processedCount
            }
            let keptBefore = try await entries(of: other).names
            await loader.remove(
                Bool.random(using: &random) ? removed[0] : try variant(of: path, &random))
            for isFlushed in [false, true] {
                if isFlushed { await loader.flush() }
                await mustBe(false, removed, in: .memory, round)
                await mustBe(false, removed, in: .disk, round)
                must(try await entries(of: path).names.isEmpty, "entries of \(path), round \(round)")
                await mustBe(true, kept, in: .memory, round)
            }
            await mustBe(true, kept, in: .disk, round)
            let keptAfter = try await entries(of: other).names
            must(isWritten ? keptAfter == keptBefore : keptAfter.isSuperset(of: keptBefore), "\(other), round \(round)")
            await loader.remove(try variant(of: other, &random))
            must(try await loader.storedEntries().isEmpty, "entries of \(other), round \(round)")
            must(fixture.transport.callCount == 2 * round + 2, "another download, round \(round)")
        }
        #expect(fixture.cacheFailures.isEmpty)
        #expect(processedCount > 0)
    }
}
