import Alcedo
import AlcedoTestSupport

/// A kind of operation whose cost may depend on the number of entries.
struct GrowthOperation {
    /// Performs as many operations as there are entries.
    typealias Work = () async throws -> Void

    let name: String
    /// Makes everything that the work needs, for a number of entries; not timed.
    let prepare: (_ size: Int) async throws -> Work

    static var all: [GrowthOperation] {
        [
            GrowthOperation(name: "memory: look-up", prepare: memoryLookUps),
            GrowthOperation(name: "memory: store", prepare: memoryStores),
            GrowthOperation(name: "disk index: look-up", prepare: diskLookUps),
            GrowthOperation(name: "flight: join", prepare: joins),
            GrowthOperation(name: "flight: finish", prepare: finishes),
            GrowthOperation(name: "download queue: enqueue", prepare: requests),
            GrowthOperation(name: "download queue: grant", prepare: grants),
            GrowthOperation(name: "download queue: cancel", prepare: cancellations),
        ]
    }

    // MARK: Memory

    private static func cache(_ size: Int) throws -> MemoryCache {
        var settings = MemoryCache.Settings()
        settings.maximumBytes = 1 << 30
        settings.maximumCount = size
        return try MemoryCache(settings)
    }

    private static func images(_ size: Int) throws -> [(key: ImageKey, image: DecodedImage)] {
        try (0..<size).map { number in
            let url = try Scripted.url("photos/\(number)/large.jpg?width=1080&format=auto")
            return (ImageKey(ImageRequest(url: url)), try Scripted.picture())
        }
    }

    private static func memoryLookUps(_ size: Int) async throws -> Work {
        let (cache, images) = (try cache(size), try images(size))
        for (key, image) in images { await cache.store(image, for: key) }
        let keys = shuffled(images.map(\.key))
        return {
            for key in keys {
                guard let image = cache.image(for: key) else { throw BenchError("no image in memory") }
                blackHole(image)
            }
        }
    }

    /// Stores in an empty cache, which has the entries in the end.
    private static func memoryStores(_ size: Int) throws -> Work {
        let (cache, images) = (try cache(size), try images(size))
        return { for (key, image) in images { await cache.store(image, for: key) } }
    }

    // MARK: Disk

    /// Finds entries and records their use, as hits do, without their files.
    private static func diskLookUps(_ size: Int) -> Work {
        var index = DiskIndex(limits: DiskIndex.Limits(bytes: .max))
        _ = index.complete(with: nil, by: 0, at: 0)
        let names = (0..<size).map { StoredKey("http://host.test/pictures/\($0).jpg").name }
        for name in names {
            _ = index.insert(name, bytes: 4_096, at: 1)
            _ = index.settle(order: index.makeOrder())
        }
        let order = shuffled(names)
        return {
            for name in order {
                index.recordUse(of: name, at: 2)
                guard case .present = index.presence(of: name, at: 2) else { throw BenchError("no entry") }
            }
        }
    }

    // MARK: Flights

    /// Callers join one flight, which has them all in the end.
    private static func joins(_ size: Int) -> Work {
        var table = FlightTable<Int, Int>()
        return { for caller in 0..<size { blackHole(table.join(0, caller).1) } }
    }

    /// Finishes a flight with this number of callers; one operation is one caller.
    private static func finishes(_ size: Int) -> Work {
        var table = FlightTable<Int, Int>()
        var flight: FlightID?
        for caller in 0..<size { flight = table.join(0, caller).0.flight }
        return {
            guard let flight else { throw BenchError("no flight") }
            table.serve(flight).forEach { blackHole($0) }
            table.remove(flight)
        }
    }

    // MARK: Downloads

    private static let hosts = (0..<10).map { "images\($0).example.com" }

    private static func request(_ number: Int, _ queue: inout DownloadQueue<Int>) -> [Int] {
        queue.request(
            number, host: hosts[number % hosts.count], load: UInt64(number), priority: .normal, now: .zero)
    }

    /// A queue with the default widths, and the downloads that have slots.
    private static func queue(_ size: Int) -> (queue: DownloadQueue<Int>, running: [Int]) {
        var queue = DownloadQueue<Int>(width: 12, hostWidth: 6)
        let running = (0..<size).flatMap { request($0, &queue) }
        return (queue, running)
    }

    /// Requests slots in an empty queue, which has them all in the end.
    private static func requests(_ size: Int) -> Work {
        var queue = queue(0).queue
        return { for number in 0..<size { blackHole(request(number, &queue)) } }
    }

    /// Releases slots, each of which is granted to a waiting download, until the queue is empty.
    private static func grants(_ size: Int) -> Work {
        var (queue, running) = queue(size)
        return {
            var ended = 0
            while ended < running.count {
                running += queue.release(running[ended], now: .zero)
                ended += 1
            }
            guard ended == size else { throw BenchError("\(ended) downloads of \(size)") }
        }
    }

    /// Cancels all downloads in random order.
    private static func cancellations(_ size: Int) -> Work {
        var queue = queue(size).queue
        let order = shuffled(Array(0..<size))
        return { for number in order { blackHole(queue.release(number, now: .zero)) } }
    }

    private static func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var random = SeededRandom(seed: 4)
        return elements.shuffled(using: &random)
    }
}
