import Alcedo
import Foundation
import Synchronization

/// A process of the experiment: a loader with a disk cache that other processes share.
///
/// It reads numbers of images, one per line, loads all of them concurrently, and writes a line for each. It exits at
/// the end of its input.
struct PictureWorker {
    let proxy: URL
    let directory: URL

    /// Records the loads that asked the proxy, and the loads that waited for another load.
    private final class Askers: Sendable {
        private let state = Mutex<(asked: Set<LoadID>, joined: [LoadID: LoadID])>(([], [:]))

        func note(_ event: LoadEvent) {
            guard let id = event.load else { return }
            switch event.kind {
            case .began(.download): state.withLock { _ = $0.asked.insert(id) }
            case .coalesced(let other): state.withLock { $0.joined[id] = other }
            default: break
            }
        }

        func asking(_ id: LoadID) -> PictureAnswer.Asking {
            state.withLock { state in
                if state.asked.contains(id) { return .asked }
                return state.joined[id].map(state.asked.contains) == true ? .shared : .nothing
            }
        }
    }

    @concurrent
    func run() async {
        let askers = Askers()
        let loader = loader(askers)
        let numbers = Self.input()
        await withDiscardingTaskGroup { group in
            for await number in numbers {
                group.addTask { tell(await line(number, loader, askers)) }
            }
        }
        await loader.flush()
    }

    private func loader(_ askers: Askers) -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.memory.maximumCount = ServerSideSetting.imagesInMemory
        configuration.disk = DiskStore.Settings(directory: directory)
        configuration.onEvent { event in
            askers.note(event)
            switch event.kind {
            case .cacheFailed(let failure): tell("\(failure)")
            case .retried(_, let error, _): tell("\(event.url?.absoluteString ?? "") retried after \(error)")
            default: break
            }
        }
        return ImageLoader(configuration)
    }

    private func line(_ number: Int, _ loader: ImageLoader, _ askers: Askers) async -> String {
        let task = loader.imageTask(for: ImageRequest(url: proxy.appending(path: NumberedPictures.path(of: number))))
        var (source, verdict) = (ImageSource.network, PictureAnswer.Verdict.failed)
        do {
            let response = try await task.value
            source = response.source
            let isRight = try response.image.bitmap == NumberedPictures.bitmap(number)
            verdict = isRight ? response.isStale ? .stale : .right : .wrong
        } catch {
            tell("picture \(number) failed: \(error)")
        }
        return PictureAnswer(number: number, source: source, asking: askers.asking(task.id), verdict: verdict).line
    }

    /// The numbers on standard input. They are read on a separate thread, because reading blocks.
    private static func input() -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let thread = Thread {
            while let line = readLine() {
                if let number = Int(line) { continuation.yield(number) }
            }
            continuation.finish()
        }
        thread.start()
        return stream
    }
}

/// Writes a line to standard output, immediately and as a whole. Flushing all streams, as the program does elsewhere,
/// would wait for the stream that is being read.
private func tell(_ line: String) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    } catch {
        // The parent has exited.
        exit(1)
    }
}
