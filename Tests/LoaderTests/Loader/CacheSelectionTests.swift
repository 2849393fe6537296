import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// What is removed from both caches at once.
@Suite(.timeLimit(.minutes(1)), .overEachStore) struct CacheSelectionTests {
    private let fixture: LoaderFixture

    init() throws {
        let png = try Pictures.png(40, 30)
        fixture = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) })
    }

    private func requests() throws -> [ImageRequest] {
        [
            try .test("a/1.png"), try .test("a/1.png") { $0.targetSize = PixelSize(width: 8, height: 8) },
            try .test("a/1.png") { $0.headers = ["Accept-Language": "de"] }, try .test("a/2.png") { $0.tags = ["t"] },
            try .test("b/3.png") { $0.tags = ["t", "u"] },
        ]
    }

    @Test(arguments: [
        (CacheSelection.url(try .test("a/1.png")), [3, 4]), (.prefix("http://host.test/a/"), [4]),
        (.prefix("http://host.test/"), []), (.tag("t"), [0, 1, 2]), (.tag("u"), [0, 1, 2, 3]),
        (.tag("a"), [0, 1, 2, 3, 4]),
    ])
    func selectedImages_areRemoved_fromBothCaches(_ selection: CacheSelection, rest: [Int]) async throws {
        let requests = try requests()
        let loader = fixture.makeLoader()
        for request in requests { _ = try await loader.image(for: request) }
        await loader.flush()
        try await loader.remove(selection)
        let inMemory = requests.indices.filter { loader.cachedImage(for: requests[$0]) != nil }
        #expect(inMemory == rest)
        var onDisk: [Int] = []
        for (number, request) in requests.enumerated() where await loader.contains(request, in: .disk) {
            onDisk.append(number)
        }
        #expect(onDisk == rest)
    }

    /// The disk doesn't store them.
    @Test(arguments: [
        CacheSelection.url(try #require(URL(string: "http://host.test/a/1.png"))), .prefix("http://host.test/a/"),
        .url(try #require(URL(string: "http://other@host.test/a/1.png"))), .prefix("http://other@host.test/a/"),
    ])
    func userNameAndPassword_areIgnored_inBothCaches(_ selection: CacheSelection) async throws {
        let (removed, kept) = (
            try ImageRequest("http://user:password@host.test/a/1.png"),
            try ImageRequest("http://user:password@host.test/b/1.png")
        )
        let loader = fixture.makeLoader()
        for request in [removed, kept] { _ = try await loader.image(for: request) }
        await loader.flush()
        for tier in [CacheTiers.memory, .disk] { #expect(await loader.contains(removed, in: tier)) }
        try await loader.remove(selection)
        for tier in [CacheTiers.memory, .disk] {
            #expect(await !loader.contains(removed, in: tier))
            #expect(await loader.contains(kept, in: tier))
        }
    }

    @Test func earlierLoad_doesNotRestoreRemovedImage() async throws {
        let transport = ScriptedDataLoader()
        let fixture = try LoaderFixture(transport)
        let loader = fixture.makeLoader()
        let loading = Task { try await loader.image(for: ImageRequest.test("a/1.png")) }
        let call = try await transport.nextCall()
        try await loader.remove(.prefix("http://host.test/a/"))
        call.respond()
        call.send(try Pictures.png(40, 30))
        call.finish()
        #expect(try await loading.value.size.width == 40)
        await loader.flush()
        let request = try ImageRequest.test("a/1.png")
        #expect(await !loader.contains(request))
    }

    /// What is stored in both caches is found in all sizes from then on, whatever loads began meanwhile.
    @Test func storedImage_isFound_inAllSizes() async throws {
        let loader = fixture.makeLoader()
        let small = try ImageRequest.test("a") { $0.targetSize = PixelSize(width: 16, height: 16) }
        for round in 1...20 {
            let bytes = try Pictures.png(50 + round, 50)
            async let store: Void = loader.store(bytes, for: .test("a"))
            async let load = loader.image(for: small)
            _ = try await (store, load)
            let found = try await loader.image(for: small)
            #expect(found.originalSize == PixelSize(width: 50 + round, height: 50))
        }
    }
}
