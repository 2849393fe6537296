import Alcedo
import Foundation

/// An image loader with queues and completion handlers, as in the first generation of Swift and Objective-C libraries.
/// It is written from the published descriptions of Kingfisher and SDWebImage 5.
///
/// A request looks in `NSCache` on the caller's thread, then for a file on a serial I/O queue, then joins or starts one
/// of six download operations, whose handlers are in a dictionary behind a barrier. Downloads are decoded on a coder
/// queue, files on the I/O queue, and handlers are called on a callback queue.
final class ClassicLoader: Sendable {
    typealias Completion = @Sendable (Result<ClassicImage, any Error>) -> Void

    let callbacks = CallbackQueue()
    let cache: ClassicCache
    private let downloader: ClassicDownloader
    private let decoder: any ImageDecoding

    init(_ network: ScriptedNetwork, _ decoder: any ImageDecoding, cache: ClassicCache) {
        self.cache = cache
        self.decoder = decoder
        downloader = ClassicDownloader(network, decoder) { image, body, url in
            cache.keepInMemory(image, for: url.absoluteString)
            cache.writeFile(body, for: url.absoluteString)
        }
    }

    /// Calls `completion` once, on the callback queue. If the image is in memory and the caller is on that queue, this
    /// happens before the function returns.
    @discardableResult
    func load(_ url: URL, _ completion: @escaping Completion) -> ClassicLoad {
        let load = ClassicLoad()
        let key = url.absoluteString
        if let image = cache.imageInMemory(key) {
            callbacks.deliver { completion(.success(image)) }
        } else if cache.hasDisk {
            cache.readFile(key) { [self] data in continueLoad(load, url, data, completion) }
        } else {
            download(url, load, completion)
        }
        return load
    }

    /// Continues a load on the I/O queue.
    private func continueLoad(_ load: ClassicLoad, _ url: URL, _ file: Data?, _ completion: @escaping Completion) {
        if load.isCancelled { return callbacks.deliver { completion(.failure(ClassicCancellation())) } }
        guard let file else { return download(url, load, completion) }
        let result = Result { ClassicImage(try decoder.decode(file, DecodeRequest())) }
        if case .success(let image) = result { cache.keepInMemory(image, for: url.absoluteString) }
        callbacks.deliver { completion(result) }
    }

    private func download(_ url: URL, _ load: ClassicLoad, _ completion: @escaping Completion) {
        let cancel = downloader.download(url) { [callbacks] result in callbacks.deliver { completion(result) } }
        load.wait(cancelledBy: cancel)
    }
}
