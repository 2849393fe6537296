import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Which properties of a request decide whose load it shares.
@Suite struct FlightKeyTests {
    /// A property of a request, with requests that differ from the plain one by it alone.
    private struct Property {
        let name: String
        /// Whether it is part of the key of image flights, and of downloads.
        let isPart: (ofImage: Bool, ofDownload: Bool)
        let why: String
        let changes: [(inout ImageRequest) throws -> Void]

        init(
            _ name: String, image: Bool, download: Bool, _ why: String,
            _ changes: (inout ImageRequest) throws -> Void...
        ) {
            self.name = name
            isPart = (image, download)
            self.why = why
            self.changes = changes
        }
    }

    private let properties = [
        Property(
            "origin", image: true, download: true, "it names the bytes",
            { $0 = try .test("b.png") }, { $0 = ImageRequest(data: Data(), id: "a") }),
        Property(
            "priority", image: false, download: false, "a flight is as urgent as its most urgent waiter",
            { $0.priority = .veryHigh }),
        Property("method", image: true, download: true, "it is sent", { $0.method = .post }),
        Property("headers", image: true, download: true, "they are sent", { $0.headers["Accept"] = "image/png" }),
        Property("body", image: true, download: true, "it is sent", { $0.body = Data("a".utf8) }),
        Property(
            "credentials", image: true, download: true, "they are sent",
            { $0.credentials = .init(user: "a", password: "b") }),
        Property(
            "readPolicy", image: true, download: true, "it selects caches and what the server is told",
            { $0.readPolicy = .reload }, { $0.readPolicy = .revalidate }, { $0.readPolicy = .cachedOnly }),
        Property(
            "writePolicy", image: true, download: false, "it selects where the image is stored",
            { $0.writePolicy = .nothing }, { $0.writePolicy = .memoryOnly }),
        Property(
            "confirming", image: false, download: false, "a validator selects nothing",
            { $0 = $0.confirming(StoredResponse(headers: [:], freshness: Freshness(endSecond: 9), version: 1)) }),
        Property(
            "isUnconditional", image: true, download: true, "a confirmation is no answer", { $0 = $0.unconditional }),
        // Here as a part of the policy; by itself it only says that nobody waits.
        Property("isBehind", image: true, download: true, "it revalidates", { $0 = $0.behind }),
        Property(
            "retriesFailed", image: true, download: true, "a remembered failure is no answer to it",
            { $0.retriesFailed = true }),
        Property(
            "transfer", image: true, download: true, "it may fail the download",
            { $0.idleTimeout = .seconds(1) }, { $0.retry = RetryPolicy.none }, { $0.allowsConstrainedNetwork = false },
            { $0.allowsExpensiveNetwork = false }, { $0.connectivityWait = .seconds(1) }),
        Property(
            "fallbacks", image: false, download: false, "each is loaded by a flight of its own",
            { $0.fallbacks = [try .test("b.png")] }),
        Property(
            "lowResolution", image: false, download: false, "it is loaded by a flight of its own",
            { $0.lowResolution = try .test("b.png") }),
        Property(
            "targetSize", image: true, download: false, "it selects pixels",
            { $0.targetSize = PixelSize(width: 10, height: 10) }),
        Property(
            "region", image: true, download: false, "it selects pixels",
            { $0.region = PixelRectangle(x: 1, y: 2, width: 3, height: 4) }),
        Property(
            "contentMode", image: true, download: false, "it selects the pixels of a target size",
            { $0.contentMode = .crop }),
        Property(
            "allowsUpscaling", image: true, download: false, "it selects the pixels of a target size",
            { $0.allowsUpscaling = true }),
        Property(
            "roundsTargetSize", image: true, download: false, "it selects the pixels of a target size",
            { $0.roundsTargetSize = true }),
        Property("frames", image: true, download: false, "they are what is decoded", { $0.frames = .first }),
        Property(
            "cropAnchor", image: true, download: false, "it is the part that is decoded",
            {
                $0.targetSize = PixelSize(width: 2, height: 2)
                $0.contentMode = .crop
                $0.cropAnchor = .attention
            }),
        Property("keepsMetadata", image: true, download: false, "the image has it", { $0.keepsMetadata = true }),
        Property("convertsToSRGB", image: true, download: false, "it changes pixels", { $0.convertsToSRGB = true }),
        Property(
            "processing", image: true, download: false, "it makes other pixels",
            { $0.processors = [CountingProcessor(1, .init())] }),
        Property(
            "scale", image: true, download: false, "the image has it",
            { $0.scale = .factor(2) }),
        Property(
            "asked", image: false, download: false, "the processors themselves are in the key",
            { $0 = $0.forInput(of: try #require(ProcessingChain([CountingProcessor(1, .init())]))) }),
        Property(
            "precision", image: false, download: false, "a flight always makes the exact picture",
            { $0.precision = .atLeast }),
        Property(
            "isImpossible", image: true, download: true, "nothing is found by a cache key that can't be one",
            { $0 = ImageRequest(url: try .test("a.png"), cacheKey: "") }),
        Property(
            "tags", image: false, download: false, "documented: those of the first caller are kept",
            { $0.tags = ["a"] }),
        Property(
            "deadline", image: false, download: false, "a caller that leaves doesn't end the load",
            { $0.deadline = .seconds(1) }),
        Property(
            "timeToLive", image: false, download: false, "documented: that of the first caller counts",
            { $0.timeToLive = .seconds(1) }),
    ]

    private func imageKey(_ request: ImageRequest) -> FlightKey<ImageKey> {
        FlightKey(ImageKey(request), request)
    }

    private func downloadKey(_ request: ImageRequest) -> FlightKey<ResourceKey> {
        FlightKey(ResourceKey(request), request)
    }

    @Test func eachProperty_isInKeysOrNot() throws {
        for property in properties {
            for change in property.changes {
                // Some say how a target size is reached, and nothing without one.
                let plain = try ImageRequest.test { $0.targetSize = PixelSize(width: 9, height: 9) }
                var changed = plain
                try change(&changed)
                let (name, why) = (property.name, property.why)
                #expect((changed != plain) == (name != "priority"), "\(name)")
                #expect((imageKey(changed) != imageKey(plain)) == property.isPart.ofImage, "\(name): \(why)")
                #expect((downloadKey(changed) != downloadKey(plain)) == property.isPart.ofDownload, "\(name): \(why)")
            }
        }
    }

    /// A property that is added has to be entered above.
    @Test func noProperty_isForgotten() throws {
        let request = try ImageRequest.test { $0.tags = ["a"] }
        var names: Set<String> = []
        for (label, _) in Mirror(reflecting: request).children {
            guard label == "choices" else {
                names.insert(try #require(label))
                continue
            }
            for child in Mirror(reflecting: request.values).children { names.insert(try #require(child.label)) }
        }
        #expect(names == Set(properties.map(\.name)))
        #expect(names.count == properties.count)
    }
}
