import Alcedo
import Foundation
import RedisStore

/// One process of a fleet: reads URLs from standard input, one per line, makes a thumbnail of each, and prints how it
/// got it.
@main struct FleetWorker {
    static func main() async throws {
        guard CommandLine.arguments.count == 4 else {
            print("usage: FleetWorker SOCKET DIRECTORY ORIGIN < URLS")
            exit(2)
        }
        var redis = RedisStore.Settings()
        redis.wait = .seconds(20)
        redis.lease = .seconds(20)
        redis.timeout = .seconds(2)
        var tiered = TieredStore.Settings()
        tiered.timeout = .seconds(25)
        let directory = URL(filePath: CommandLine.arguments[2], directoryHint: .isDirectory)
        let store = try TieredStore(
            local: DiskStore(DiskStore.Settings(directory: directory)),
            shared: RedisStore(.socket(CommandLine.arguments[1]), redis), tiered
        ) { event in
            print("event \(event)")
        }
        var tier = StoredTier.Settings()
        tier.deadline = .seconds(30)
        // The same for all machines of the fleet.
        tier.secret = Data("a secret of at least 32 characters, for tests".utf8)
        var configuration = ImageLoader.Configuration.server
        // The tests' server is on this machine.
        configuration.download.network.allowedOrigins = [CommandLine.arguments[3]]
        let loader = ImageLoader(configuration, store: try StoredTier(store, tier))
        await withTaskGroup(of: Void.self) { group in
            while let line = readLine() { group.addTask { await makeThumbnail(of: line, loader) } }
        }
        await loader.flush()
    }

    private static func makeThumbnail(of url: String, _ loader: ImageLoader) async {
        do throws(ImageLoaderError) {
            var request = try ImageRequest(url)
            request.targetSize = PixelSize(width: 16, height: 16)
            let file = try await loader.encoded(for: request, as: JPEGEncoder(quality: 80))
            print("thumbnail \(url) \(file.head.source) \(file.data.base64EncodedString())")
        } catch {
            print("error \(url) \(error)")
        }
    }
}
