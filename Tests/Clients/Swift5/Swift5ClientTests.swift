import Alcedo
import Foundation
import Testing

/// A program in Swift 5 mode.
final class Swift5Client {
    let loader = ImageLoader(.server)
    var loads: [Task<Void, Never>] = []
    var shown: DecodedImage?

    func show(_ url: URL, failed: @escaping (Error) -> Void) {
        if let image = loader.cachedImage(for: url) {
            shown = image
            return
        }
        loads.append(
            Task { [weak self, loader] in
                do {
                    let image = try await loader.image(for: url)
                    self?.shown = image
                } catch ImageLoaderError.cancelled {
                } catch {
                    failed(error)
                }
            })
    }

    func follow(_ request: ImageRequest) async throws -> DecodedImage {
        let task = loader.imageTask(for: request)
        for await event in task.events {
            switch event {
            case .progress(let received, _): print(received)
            default: break
            }
        }
        return try await task.image
    }

    func clear() async {
        await loader.removeAll()
        await loader.memoryCache.trim(toBytes: 0)
        _ = await loader.diskCache?.remove(.expired)
        await loader.downloads.forgetFailures()
    }
}

@Suite(.timeLimit(.minutes(1))) struct Swift5ClientTests {
    @Test func aProgramInSwift5Mode_loads() async throws {
        let client = Swift5Client()
        let url = try #require(URL(string: "ftp://host.test/a.png"))
        await confirmation { confirm in
            client.show(url) { error in
                #expect((error as? ImageLoaderError) == .unsupportedScheme("ftp"))
                confirm()
            }
            await client.loads.first?.value
        }
    }
}
