import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

/// Loads that begin while a removal is on its way: memory has been cleared already, and the disk has not.
@Suite(.timeLimit(.minutes(1))) struct RemovalWindowTests {
    /// Ways to remove the image of the test's URL.
    enum Removal: CaseIterable {
        case request, url, prefix

        func callAsFunction(_ loader: ImageLoader, _ request: ImageRequest) async throws {
            switch self {
            case .request: await loader.remove(request)
            case .url: try await loader.remove(.url(.test()))
            case .prefix: try await loader.remove(.prefix("http://host.test/"))
            }
        }
    }

    private let transport = ScriptedDataLoader()
    private let fixture: LoaderFixture
    private let request: ImageRequest

    init() throws {
        var fixture = try LoaderFixture(transport)
        fixture.configuration.disk?.contents = .both
        self.fixture = fixture
        request = try .test { $0.targetSize = PixelSize(width: 20, height: 20) }
    }

    /// Stores the image on disk, in both forms.
    private func fillDisk(_ loader: ImageLoader) async throws {
        async let image = loader.image(for: request)
        let call = try await transport.nextCall()
        call.answer(try Pictures.png(80, 60))
        _ = try await image
        await loader.flush()
    }

    private var downloads: Int {
        fixture.events.values.count { if case .began(.download) = $0 { true } else { false } }
    }

    /// The store has not read its directory yet, so a load still finds the scaled image there.
    @Test(arguments: Removal.allCases)
    func imageFoundOnDisk_duringRemoval_doesNotStayInMemory(_ remove: Removal) async throws {
        try await fillDisk(fixture.makeLoader())
        let loader = fixture.makeLoader()
        let opening = ThreadGate()
        fixture.calls.hold(.pread, on: "/index", at: opening)
        async let removed: Void = remove(loader, request)
        await opening.arrivals(1)
        var cachedOnly = request
        cachedOnly.readPolicy = .cachedOnly
        let isFound = (try? await loader.image(for: cachedOnly)) != nil
        #expect(isFound)
        opening.open()
        try await removed
        #expect(loader.cachedImage(for: cachedOnly) == nil)
        #expect(await !loader.contains(cachedOnly))
    }

    /// The load's download began while the files were being deleted.
    @Test(arguments: Removal.allCases)
    func loadAfterRemoval_doesNotJoinDownload_begunDuringIt(_ remove: Removal) async throws {
        let loader = fixture.makeLoader()
        try await fillDisk(loader)
        let deleting = ThreadGate()
        fixture.calls.hold(.unlink, on: "/entries/", at: deleting)
        async let removed: Void = remove(loader, request)
        await deleting.arrivals(1)
        async let first = loader.image(for: request)
        let earlier = try await transport.nextCall()
        deleting.open()
        try await removed
        async let second = loader.image(for: request)
        await fixture.events.wait { events in
            events.contains { if case .coalesced = $0 { true } else { false } }
                || events.count { if case .began(.download) = $0 { true } else { false } } == 3
        }
        #expect(downloads == 3)
        earlier.answer(try Pictures.png(80, 60))
        _ = try await first
        if downloads == 3 { try await transport.nextCall().answer(try Pictures.png(80, 60)) }
        _ = try await second
    }
}
