import Alcedo
import ImageService
import Synchronization

/// The image server with all files in memory.
@main struct MemoryServer {
    static func main() async throws { try await ImageService.run { FilesInMemory(loader: $0) } }
}

/// Loads each file once and keeps it in memory.
private final class FilesInMemory: FileSource {
    private struct Key: Hashable {
        let request: ImageRequest
        let encoder: String
    }

    private let loader: ImageLoader
    private let files = Mutex<[Key: ConditionalImage]>([:])

    init(loader: ImageLoader) { self.loader = loader }

    func encoded(
        for request: ImageRequest, as encoder: any FileEncoding, ifNoneMatch: String?
    ) async throws(ImageLoaderError) -> ConditionalImage {
        let key = Key(request: request, encoder: encoder.identity)
        if let file = files.withLock({ $0[key] }) { return file }
        let file = try await loader.encoded(for: request, as: encoder, ifNoneMatch: nil)
        files.withLock { $0[key] = file }
        return file
    }
}
