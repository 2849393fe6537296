import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Random requests with random processors, all for one image and at the same time: what several of them begin with is
/// made once.
@Suite(.timeLimit(.minutes(Fuzz.isLong ? 60 : 2))) struct ProcessorSharingFuzzTests {
    /// All beginnings of these chains that have a processor, each once.
    private static func prefixes(of chains: [[Int]]) -> Set<[Int]> {
        Set(chains.flatMap { chain in chain.indices.map { Array(chain[...$0]) } })
    }

    /// The first pixel of the picture and of what a chain makes of it. As its red is 0, which the processors' numbers
    /// are then digits of, each chain makes another one.
    private static func pixel(_ chain: [Int]) -> SIMD4<UInt8> {
        chain.reduce([0, 0, 96, 255]) { SIMD4($0.x &* 3 &+ UInt8($1), 0, 0, 255) }
    }

    private static func chains(_ random: inout SeededRandom) -> [[Int]] {
        (0..<Int.random(in: 2...6, using: &random)).map { _ in
            (0..<Int.random(in: 0...4, using: &random)).map { _ in Int.random(in: 1...3, using: &random) }
        }
    }

    @Test(arguments: [nil, DiskContents.originals, .processed, .automatic])
    func randomChains_makeEachPrefixOnce(contents: DiskContents?) async throws {
        let transport = ScriptedDataLoader()
        let fixture = try LoaderFixture(transport)
        var configuration = fixture.configuration
        if let contents { configuration.disk?.contents = contents } else { configuration.disk = nil }
        let loader = ImageLoader(configuration, calls: fixture.calls)
        let png = try Pictures.png(8, 6)
        var random = SeededRandom(seed: Fuzz.seed)
        for round in 0..<max(5, Fuzz.steps / 1_000) {
            let runs = CountingProcessor.Runs()
            let chains = Self.chains(&random)
            let prefixes = Self.prefixes(of: chains)
            let sharedBefore = await loader.coalescedLoadCount
            let tasks = try chains.map { chain in
                try loader.imageTask(
                    for: .test("\(round).png") { $0.processors = chain.map { CountingProcessor($0, runs) } })
            }
            let call = try await transport.nextCall()
            // Each beginning is a load, and so is the image itself. All others who wait for one of them have joined it.
            let loadCount = prefixes.count + 1
            while !Task.isCancelled, loader.path.flights.count < loadCount { await Task.yield() }
            let joinCount = chains.count + prefixes.count - loadCount
            while !Task.isCancelled, await loader.coalescedLoadCount < sharedBefore + joinCount { await Task.yield() }
            call.answer(png, headers: ["Cache-Control": "max-age=86400"])
            var bitmaps: Set<ObjectIdentifier> = []
            for (chain, task) in zip(chains, tasks) {
                let image = try await task.image
                bitmaps.insert(ObjectIdentifier(image.bitmap))
                must(image.bitmap[0, 0] == Self.pixel(chain), "\(image.bitmap[0, 0]) of \(chain), round \(round)")
            }
            must(runs.all.sorted() == prefixes.compactMap(\.last).sorted(), "\(runs.all) of \(chains), round \(round)")
            must(bitmaps.count == Set(chains).count, "\(bitmaps.count) images of \(chains), round \(round)")
            // A load without a caller would never end.
            await loader.path.flights.ended()
            must(transport.callCount == round + 1, "\(transport.callCount) downloads, round \(round)")
        }
        await loader.close()
        #expect(fixture.cacheFailures.isEmpty)
    }
}
