import Alcedo
import Foundation

/// Reads URLs from standard input, one per line, and writes a JPEG thumbnail of each into a folder.
@main struct ThumbnailWorker {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: thumbnail-worker FOLDER < URLS")
            exit(2)
        }
        let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let worker = Worker(folder: folder)
        let failures = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
            var (failures, number) = (0, 0)
            while let line = readLine() {
                number += 1
                // Sixteen lines are read ahead; the loader decides which loads run.
                if number > 16, await group.next() == false { failures += 1 }
                group.addTask { [number] in await worker.makeThumbnail(of: line, number: number) }
            }
            for await succeeded in group where !succeeded { failures += 1 }
            return failures
        }
        await worker.loader.flush()
        exit(failures == 0 ? 0 : 1)
    }
}

struct Worker {
    let folder: URL
    let loader: ImageLoader

    init(folder: URL) {
        self.folder = folder
        var configuration = ImageLoader.Configuration.server
        configuration.memory.maximumBytes = 0  // no image is requested twice
        configuration.disk?.directory = DiskStore.Settings(name: "thumbnails").directory
        loader = ImageLoader(configuration)
    }

    func makeThumbnail(of text: String, number: Int) async -> Bool {
        do throws(ImageLoaderError) {
            var request = try ImageRequest(text)
            request.targetSize = PixelSize(width: 256, height: 256)
            request.contentMode = .crop
            request.frames = .first
            let file = try await loader.encoded(for: request, as: JPEGEncoder(quality: 80))
            let url = folder.appending(path: "\(number).jpg")
            do {
                try file.data.write(to: url)
            } catch {
                print("\(url.path): \(error)")
                return false
            }
            print("\(text): \(file.data.count) bytes")
            return true
        } catch {
            print("\(text): \(error)")
            return false
        }
    }
}
