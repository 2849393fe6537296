import Alcedo
import Foundation

/// The classic design's downloads: six operations at a time, and the handlers of all callers in one dictionary by URL.
final class ClassicDownloader: Sendable {
    typealias Completion = @Sendable (Result<ClassicImage, any Error>) -> Void

    private struct Flight {
        let download: ClassicDownload
        var callbacks: [(id: Int, completion: Completion)] = []
    }

    private let flights = BarrierProtected<[URL: Flight]>([:])
    private let ids = Turn()
    private let network: ScriptedNetwork
    private let decoder: any ImageDecoding
    private let queue = OperationQueue()
    private let coder = DispatchQueue(label: "classic.coder")
    private let received: @Sendable (ClassicImage, Data, URL) -> Void

    /// - Parameter received: Called once for each download, before the handlers of its callers.
    init(
        _ network: ScriptedNetwork, _ decoder: any ImageDecoding,
        received: @escaping @Sendable (ClassicImage, Data, URL) -> Void
    ) {
        self.network = network
        self.decoder = decoder
        self.received = received
        queue.maxConcurrentOperationCount = 6
    }

    /// Starts a download, or joins one. The returned function cancels this caller's part in it.
    func download(_ url: URL, _ completion: @escaping Completion) -> @Sendable () -> Void {
        let id = ids.next()
        let started = flights.use { flights -> ClassicDownload? in
            if flights[url] != nil {
                flights[url]?.callbacks.append((id, completion))
                return nil
            }
            let download = makeDownload(url)
            flights[url] = Flight(download: download, callbacks: [(id, completion)])
            return download
        }
        if let started { queue.addOperation(started) }
        return { [self] in cancel(id, url) }
    }

    private func makeDownload(_ url: URL) -> ClassicDownload {
        ClassicDownload(url, network: network, coder: coder) { [decoder] body in
            ClassicImage(try decoder.decode(body, DecodeRequest()))
        } ended: { [self] download, result in
            let result = result.map { image, body in
                received(image, body, url)
                return image
            }
            for callback in takeCallbacks(of: download, url) { callback.completion(result) }
        }
    }

    private func takeCallbacks(of download: ClassicDownload, _ url: URL) -> [(id: Int, completion: Completion)] {
        flights.use { flights in
            // A new download of the same URL may have begun after the last caller of this one left.
            guard flights[url]?.download === download else { return [] }
            return flights.removeValue(forKey: url)?.callbacks ?? []
        }
    }

    private func cancel(_ id: Int, _ url: URL) {
        let (completion, download) = flights.use { flights -> (Completion?, ClassicDownload?) in
            guard let place = flights[url]?.callbacks.firstIndex(where: { $0.id == id }) else { return (nil, nil) }
            let completion = flights[url]?.callbacks.remove(at: place).completion
            guard flights[url]?.callbacks.isEmpty == true else { return (completion, nil) }
            return (completion, flights.removeValue(forKey: url)?.download)
        }
        download?.cancel()
        completion?(.failure(ClassicCancellation()))
    }
}
