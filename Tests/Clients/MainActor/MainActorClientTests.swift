import Alcedo
import Foundation
import Testing

/// A program whose code runs on the main actor unless it says otherwise, built with warnings as errors.
final class MainActorClient {
    let loader: ImageLoader
    private(set) var image: DecodedImage?
    private(set) var error: ImageLoaderError?
    private(set) var received = 0

    init() {
        var configuration = ImageLoader.Configuration()
        configuration.disk = nil
        configuration.memory.maximumCount = 10
        loader = ImageLoader(configuration)
    }

    func show(_ request: ImageRequest) async {
        do throws(ImageLoaderError) {
            image = try await loader.image(for: request)
        } catch {
            self.error = error
        }
        MainActor.assertIsolated()
    }

    func follow(_ request: ImageRequest) async {
        let task = loader.imageTask(for: request)
        for await event in task.events {
            if case .progress(let bytes, _) = event { received = bytes }
        }
        await task.end()
        if case .success(let response)? = task.result { image = response.image }
    }

    func stop() async { await loader.cancelAll() }
}

@Suite(.timeLimit(.minutes(1))) struct MainActorClientTests {
    @Test func aProgramOnTheMainActor_loads_andStaysThere() async {
        let client = MainActorClient()
        await client.show(ImageRequest(data: Data("no image".utf8), id: "text"))
        #expect(client.error == .notAnImage(found: "plain text"))
        await client.follow(ImageRequest(data: Data(), id: "empty"))
        await client.stop()
        #expect(client.image == nil && client.received == 0)
    }
}
