import Alcedo
import AlcedoTestSupport
import Foundation
import SQLiteStore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct SQLiteStoreTests {
    private let temporary: TemporaryDirectory

    init() throws { temporary = try TemporaryDirectory() }

    @Test func requirementsOfAStore_areMet() async {
        let number = Atomic(0)
        let check = StoreCheck { [temporary] in
            SQLiteStore(temporary.url.appending(path: "\(number.wrappingAdd(1, ordering: .relaxed).newValue).db"))
        }
        #expect(await check.problems() == [])
    }

    /// A loader with an empty memory cache.
    private func makeLoader(_ store: SQLiteStore, _ width: Int = 30) throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        let png = try Pictures.png(width: width, height: 20)
        configuration.dataLoader = ScriptedDataLoader { _ in
            .bytes(png, headers: ["Cache-Control": "max-age=60", "ETag": "\"\(width)\""])
        }
        return ImageLoader(configuration, store: try StoredTier(store))
    }

    @Test func images_areFound_byTheNextProcess() async throws {
        let file = temporary.url.appending(path: "images.db")
        let url = try #require(URL(string: "https://host.test/a.png"))
        let first = try makeLoader(SQLiteStore(file))
        #expect(try await first.response(for: ImageRequest(url: url)).source == .network)
        await first.flush()
        let store = SQLiteStore(file)
        let response = try await makeLoader(store).response(for: ImageRequest(url: url))
        #expect(response.source == .disk && response.image.size.width == 30)
        try await store.removeOldest(above: 0)
        #expect(try await makeLoader(store).response(for: ImageRequest(url: url)).source == .network)
    }

    @Test func fileThatCannotBeOpened_isAnError_butNoLoadFails() async throws {
        let store = SQLiteStore(temporary.url.appending(path: "none/images.db"))
        let error = await #expect(throws: ImageLoaderError.self) { try await store.removeEntries(.all) }
        #expect(error?.kind == .storeFailed)
        let url = try #require(URL(string: "https://host.test/a.png"))
        #expect(try await makeLoader(store).image(for: url).size.width == 30)
    }
}
