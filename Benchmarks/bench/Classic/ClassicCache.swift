import Alcedo
import Foundation
import Synchronization

/// The classic design's two caches: `NSCache`, and one file per URL, which a serial queue reads and writes.
final class ClassicCache: Sendable {
    private typealias Memory = NSCache<NSString, ClassicImage>

    /// The memory cache, if there is one. The compiler requires the `Mutex`, though the cache has its own lock.
    private let memory: Mutex<NSCache<NSString, ClassicImage>>?
    private let directory: URL?
    private let io = DispatchQueue(label: "classic.io")

    /// - Parameters:
    ///   - count: The number of images in memory; zero means no memory cache.
    ///   - directory: The directory of the disk cache; nil means no disk cache.
    init(count: Int, directory: URL?) {
        self.directory = directory
        guard count > 0 else {
            memory = nil
            return
        }
        let cache = Memory()
        cache.countLimit = count
        memory = Mutex(cache)
    }

    var hasDisk: Bool { directory != nil }

    func imageInMemory(_ key: String) -> ClassicImage? {
        memory?.withLock { $0.object(forKey: key as NSString) }
    }

    func keepInMemory(_ image: ClassicImage, for key: String) {
        let cost = image.image.byteCount
        memory?.withLock { $0.setObject(image, forKey: key as NSString, cost: cost) }
    }

    /// Reads a file, and calls back on the I/O queue; with nil if there is no file.
    func readFile(_ key: String, _ completion: @escaping @Sendable (Data?) -> Void) {
        io.async { [self] in completion(contents(key)) }
    }

    /// The bytes of a file. Its date records the last use, because there is no index that could.
    private func contents(_ key: String) -> Data? {
        guard let path = file(key)?.path, let data = FileManager.default.contents(atPath: path) else { return nil }
        do {
            try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: path)
        } catch {
            printError("\(error)")
        }
        return data
    }

    func writeFile(_ data: Data, for key: String) {
        guard let file = file(key) else { return }
        io.async {
            do {
                try data.write(to: file, options: .atomic)
            } catch {
                printError("\(error)")
            }
        }
    }

    /// Returns when all files have been written.
    func flush() { io.sync {} }

    private func file(_ key: String) -> URL? { directory?.appending(path: MD5.hex(key)) }
}
