import Alcedo
import Foundation
import Synchronization

/// The classic design's two caches: `NSCache`, and a file for each URL, which one serial queue reads and writes.
final class ClassicCache: Sendable {
    private typealias Memory = NSCache<NSString, ClassicImage>

    /// Nil without a memory cache. In a `Mutex` for the compiler, though the cache has a lock of its own.
    private let memory: Mutex<NSCache<NSString, ClassicImage>>?
    private let directory: URL?
    private let io = DispatchQueue(label: "classic.io")

    /// - Parameters:
    ///   - count: The number of pictures in memory; zero means no memory cache.
    ///   - directory: Nil means no disk cache.
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

    /// Calls back on the I/O queue, with nil if there is no file.
    func readFile(_ key: String, _ completion: @escaping @Sendable (Data?) -> Void) {
        io.async { [self] in completion(contents(key)) }
    }

    /// The file's date says when it was used last, because there is no index that could.
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

    /// Returns when all files are written.
    func flush() { io.sync {} }

    private func file(_ key: String) -> URL? { directory?.appending(path: MD5.hex(key)) }
}
