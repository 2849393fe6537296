import Alcedo
import AlcedoTestSupport

/// Slots over a loader with a scripted transport and a manual clock.
@MainActor struct SlotFixture {
    let transport = ScriptedDataLoader()
    let clock = ManualClock()
    var loaders: LoaderFixture
    /// Whether loaders have a disk cache, which they share.
    var hasDisk = false

    init() throws { loaders = try LoaderFixture(transport) }

    func makeLoader() -> ImageLoader {
        var loaders = loaders
        if !hasDisk { loaders.configuration.disk = nil }
        return loaders.makeLoader()
    }

    /// A slot with a placeholder, and its watcher.
    func slot(
        _ loader: ImageLoader? = nil, _ change: (inout ImageSlot.Settings) -> Void = { _ in }
    ) -> (ImageSlot, SlotWatcher) {
        var settings = ImageSlot.Settings()
        settings.placeholder = .color(PixelColor(red: 255, green: 0, blue: 0))
        change(&settings)
        let slot = ImageSlot(loader ?? makeLoader(), settings: settings, clock: clock)
        return (slot, SlotWatcher(slot))
    }

    /// Answers the next request with an image of this width.
    func answer(_ width: Int, _ headers: HTTPHeaders = [:]) async throws {
        try await transport.nextCall().answer(try Pictures.png(width, 2), headers: headers)
    }

    // MARK: Pictures in the caches

    /// Loads an image of width 3 with the ETag "1", so that the caches contain it.
    func store(_ path: String = "a.png", _ cacheControl: String = "no-cache", by loader: ImageLoader) async throws {
        async let loaded = loader.image(for: try .test(path))
        try await answer(3, ["ETag": "\"1\"", "Cache-Control": cacheControl])
        _ = try await loaded
    }

    /// Returns a loader with a stale copy of this image in memory.
    func loaderWithStalePicture(_ cacheControl: String = "no-cache") async throws -> ImageLoader {
        var fixture = self
        fixture.loaders.configuration.memory.reuseWindow = .zero
        let loader = fixture.makeLoader()
        try await store("a.png", cacheControl, by: loader)
        return loader
    }

    /// Stores this image in the disk cache, which later loaders share.
    mutating func storeOnDisk(_ cacheControl: String = "no-cache") async throws {
        hasDisk = true
        let loader = makeLoader()
        try await store("a.png", cacheControl, by: loader)
        await loader.close()
    }
}
