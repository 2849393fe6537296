import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// One of many Tasks that perform random actions concurrently.
struct ChaosCaller {
    let site: ChaosSite
    let ledger: ChaosLedger
    let loaders: ChaosLoaders
    let url: @Sendable (String) -> URL
    var random: SeededRandom
    /// The number of replies before the load that will be disturbed.
    private var replies = 0
    /// The files that the caller's client has, by their requests.
    private var files: [ImageRequest: (number: Int, tag: String, bitmap: Bitmap)] = [:]

    init(
        site: ChaosSite, ledger: ChaosLedger, loaders: ChaosLoaders, url: @escaping @Sendable (String) -> URL,
        random: SeededRandom
    ) {
        (self.site, self.ledger, self.loaders, self.url, self.random) = (site, ledger, loaders, url, random)
    }

    mutating func act() async {
        switch Int.random(in: 0..<1_000, using: &random) {
        case 0..<330: await load(someNumber(), isCancelled: false)
        case 330..<400: await removeDuringLoad()
        case 400..<500: await load(someNumber(), isCancelled: true)
        case 500..<580: await encoded()
        case 580..<720: await handle()
        case 720..<760: await join()
        case 760..<820: await data()
        case 820..<850: await prefetch()
        case 850..<900: changePicture(someNumber())
        case 900..<960: await remove(someNumber())
        case 960..<985: failFiles()
        case 985..<994: await loaders.tier.flush()
        case 994..<996: await cancelAll()
        case 996..<998: await reopen()
        default: _ = await loaders.disk?.verify()
        }
    }

    /// Removes many images. This is rare, because stale images must remain in the caches to be shown by mistake.
    mutating func upheave() async {
        await pause(2_000_000)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: await loaders.memory.trim(toFraction: 0.5)
        case 1: await loaders.memory.trim(toBytes: 1_000)
        case 2: _ = await loaders.disk?.trim(toBytes: 50_000)
        case 3: await loaders.memory.removeAll()
        case 4: await ledger.remove(Array(0..<ChaosSite.count), "remove all", on: 0) { await loaders[0].removeAll() }
        default: break
        }
    }

    // MARK: Loading

    /// Returns the number of an image. A few images are far more popular than the others.
    private mutating func someNumber() -> Int {
        let bound = Int.random(in: 0..<4, using: &random) > 0 ? 24 : ChaosSite.count
        return Int.random(in: 0..<bound, using: &random)
    }

    private mutating func someLoader() -> Int { Int.random(in: 0..<ChaosLoaders.count, using: &random) }

    /// Every request has the image's tag, so that removals by tag find everything that is stored.
    private func request(_ number: Int) -> ImageRequest {
        var request = ImageRequest(url: url(ChaosSite.path(number)))
        request.tags = [ChaosSite.tag(number)]
        return request
    }

    private mutating func someRequest(_ number: Int) -> ImageRequest {
        var request = self.request(number)
        if Int.random(in: 0..<3, using: &random) == 0 {
            request.headers["Accept-Language"] = ChaosSite.languages.randomElement(using: &random) ?? nil
        }
        request.priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
        switch Int.random(in: 0..<8, using: &random) {
        case 0: request.targetSize = PixelSize(width: 10, height: 10)
        case 1: request.processors = [SlowProcessor()]
        case 2: request.processors = [.resize(to: PixelSize(width: 12, height: 8)), .blur(radius: 1)]
        default: break
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0: request.readPolicy = .reload
        case 1: request.readPolicy = .revalidate
        case 2: request.readPolicy = .cachedOnly
        case 3: request.readPolicy = .immutable
        default: break
        }
        request.retriesFailed = Bool.random(using: &random)
        return request
    }

    private mutating func pause(_ limit: Int) async {
        await nap(.microseconds(Int.random(in: 0..<limit, using: &random)))
    }

    /// - Parameter request: A random one by default.
    private mutating func load(_ number: Int, isCancelled: Bool, _ request: ImageRequest? = nil) async {
        let loader = someLoader()
        let request = request ?? someRequest(number)
        let ticket = ledger.begin(
            number, "\(request.readPolicy?.rawValue ?? "plain") load \(request.processors.count)",
            request.headers["Accept-Language"], on: loader)
        let limit = isCancelled ? Int.random(in: 0..<20_000, using: &random) : nil
        let result = await outcome(number, limit) { [loader = loaders[loader]] () async throws(ImageLoaderError) in
            try await loader.response(for: request)
        }
        if let result { finish(ticket, request, result, isCancelled: isCancelled) }
    }

    /// Returns the outcome of a call.
    ///
    /// - Parameter limit: The time after which the call is cancelled, in microseconds; nil for never.
    private func outcome<Value: Sendable>(
        _ number: Int, _ limit: Int?, _ call: @escaping @Sendable () async throws(ImageLoaderError) -> Value
    ) async -> Result<Value, ImageLoaderError>? {
        await withTaskGroup(of: Result<Value, ImageLoaderError>.self) { group in
            group.addTask {
                do throws(ImageLoaderError) {
                    return .success(try await call())
                } catch {
                    return .failure(error)
                }
            }
            guard let limit else { return await group.next() }
            await nap(.microseconds(limit))
            group.cancelAll()
            let cancellation = ContinuousClock.now
            let result = await group.next()
            let time = ContinuousClock.now - cancellation
            ledger.must(time < ChaosLoaders.idleTimeout / 2, "a call ended \(time) after it was cancelled", number)
            return result
        }
    }

    /// Requests a file for a client, which may already have one.
    private mutating func encoded() async {
        var number = someNumber()
        let loader = someLoader()
        var request = someRequest(number)
        if Bool.random(using: &random), let (known, file) = files.randomElement(using: &random) {
            (number, request) = (file.number, known)
        }
        let file = files[request]
        let ticket = ledger.begin(
            number, "encoded \(request.readPolicy?.rawValue ?? "plain")", request.headers["Accept-Language"], on: loader
        )
        let limit = Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 0..<20_000, using: &random) : nil
        let tag = file?.tag
        let result = await outcome(number, limit) {
            [loader = loaders[loader], request] () async throws(ImageLoaderError) in
            try await loader.encoded(for: request, as: PNGEncoder(), ifNoneMatch: tag)
        }
        switch result {
        case .success(.modified(let image)):
            do {
                let bitmap = try ImageDecoders.builtIn.decode(image.data).bitmap
                files[request] = (number, image.head.etag, bitmap)
                judge(bitmap, ticket, request, image.head.source, image.head.freshness, image.head.staleReason)
            } catch {
                ledger.report("a file that is none: \(error)", number)
            }
            ledger.end(ticket, "encoded")
        case .success(.notModified(let head)):
            ledger.must(head.etag == tag, "a client is told that it has a file with another tag", number)
            if let file { judge(file.bitmap, ticket, request, head.source, head.freshness, head.staleReason) }
            ledger.end(ticket, "not modified")
        case .failure(let error):
            judge(error, ticket, request, isCancelled: limit != nil)
        case nil: break
        }
    }

    private mutating func handle() async {
        let (number, loader) = (someNumber(), someLoader())
        let request = someRequest(number)
        let ticket = ledger.begin(
            number, "handle \(request.readPolicy?.rawValue ?? "plain")", request.headers["Accept-Language"],
            on: loader)
        let handle = loaders[loader].imageTask(for: request)
        await pause(3_000)
        handle.priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
        let isCancelled = Bool.random(using: &random)
        if isCancelled {
            await pause(10_000)
            handle.cancel()
        }
        var result: Result<ImageResponse, ImageLoaderError>
        do throws(ImageLoaderError) {
            result = .success(try await handle.value)
        } catch {
            result = .failure(error)
        }
        // The outcome doesn't change if the handle is cancelled afterwards.
        handle.cancel()
        let kept = handle.result
        ledger.must(kept?.isSuccess == result.isSuccess, "a handle has two outcomes", number)
        finish(ticket, request, result, isCancelled: isCancelled)
    }

    /// Checks an outcome. A call may also have been cancelled with its Task.
    private func finish(
        _ ticket: ChaosLedger.Ticket, _ request: ImageRequest, _ result: Result<ImageResponse, ImageLoaderError>,
        isCancelled: Bool
    ) {
        switch result {
        case .success(let response):
            let bitmap = response.image.bitmap
            judge(bitmap, ticket, request, response.source, response.freshness, response.staleReason)
            ledger.end(ticket, "\(response.source)")
        case .failure(let error): judge(error, ticket, request, isCancelled: isCancelled)
        }
    }

    private func judge(
        _ error: ImageLoaderError, _ ticket: ChaosLedger.Ticket, _ request: ImageRequest, isCancelled: Bool
    ) {
        ledger.judge(
            error, ticket, isCancelled: isCancelled || Task.isCancelled,
            cachedOnly: request.readPolicy == .cachedOnly)
        ledger.end(ticket, error.kind.rawValue)
    }

    private func judge(
        _ bitmap: Bitmap, _ ticket: ChaosLedger.Ticket, _ request: ImageRequest, _ source: ImageSource,
        _ freshness: Freshness?, _ staleReason: StaleReason?
    ) {
        let takesAll = request.readPolicy == .cachedOnly || request.readPolicy == .immutable
        let size = expectedSize(request, ticket.number)
        ledger.must(bitmap.size == size, "the picture has \(bitmap.size), not \(size), pixels", ticket.number)
        let pixel = bitmap[bitmap.size.width / 2, bitmap.size.height / 2]
        let color = PixelColor(red: pixel.x, green: pixel.y, blue: pixel.z, alpha: pixel.w)
        ledger.judge(
            color, ticket, "from \(source), \(detail(freshness))", isStale: takesAll || staleReason != nil)
    }

    private func detail(_ freshness: Freshness?) -> String {
        freshness.map {
            "validated \(-$0.validated.timeIntervalSinceNow) s ago, stale for \(-$0.end.timeIntervalSinceNow) s"
        }
            ?? "of unknown freshness"
    }

    private func expectedSize(_ request: ImageRequest, _ number: Int) -> PixelSize {
        let size = ChaosSite.size(number)
        if request.processors.count == 2 { return PixelSize(width: 12, height: 8) }
        guard request.targetSize != nil else { return size }
        // The image was fitted into 10 by 10 pixels.
        return size.width >= size.height
            ? PixelSize(width: 10, height: (10 * size.height + size.width / 2) / size.width)
            : PixelSize(width: (10 * size.width + size.height / 2) / size.height, height: 10)
    }

    /// Several handles for an image that hasn't been loaded before share one download. It has the highest of their
    /// priorities, and continues while at least one of them isn't cancelled.
    private mutating func join() async {
        let name = "/once/\(UUID().uuidString)"
        let (loader, began, sweeps) = (loaders[Int.random(in: 0..<2, using: &random)], ledger.ends, ledger.sweeps)
        var request = ImageRequest(url: url(name))
        let handles = (0..<4).map { number in
            request.priority = RequestPriority.allCases[number]
            return loader.imageTask(for: request)
        }
        // On a busy machine, the first handle may have its image before the others exist.
        let mayDiffer = sweeps == nil || sweeps != ledger.sweeps || handles[0].result != nil
        for handle in handles.dropFirst().shuffled(using: &random) {
            if Bool.random(using: &random) { await pause(2_000) }
            handle.cancel()
        }
        do throws(ImageLoaderError) {
            _ = try await handles[0].value
            let count = site.requestsOfOnce(name)
            ledger.must(count == 1 || mayDiffer, "\(count) downloads for one picture")
        } catch {
            ledger.must(Task.isCancelled || ledger.ends != began, "the last of four callers failed: \(error)")
        }
        for handle in handles.dropFirst() {
            if case .success? = handle.result { continue }
            ledger.must(handle.result != nil, "a handle that was cancelled has no outcome")
        }
    }

    private mutating func data() async {
        let (number, loader) = (someNumber(), someLoader())
        let request = request(number)
        let ticket = ledger.begin(number, "data", on: loader)
        do throws(ImageLoaderError) {
            let response = try await loaders[loader].dataResponse(for: request)
            let data = response.data
            let newest = site.picture(number).versions.count - 1
            let version = (max(0, newest - 255)...newest).last { site.file(number, $0, nil) == data }
            if let version {
                ledger.judge(
                    version, ticket, "from \(response.source), \(detail(response.freshness))",
                    isStale: response.staleReason != nil)
            }
            ledger.must(
                version != nil || site.picture(number).wasDamaged, "the bytes are those of no version", number)
            ledger.end(ticket, "data")
        } catch {
            ledger.judge(error, ticket, isCancelled: Task.isCancelled, cachedOnly: false)
            ledger.end(ticket, error.kind.rawValue)
        }
    }

    private mutating func prefetch() async {
        let (first, loader) = (someNumber(), someLoader())
        let numbers = (0..<8).map { (first + $0) % ChaosSite.count }
        let tickets = numbers.map { ledger.begin($0, "prefetch", on: loader) }
        let prefetcher = ImagePrefetcher(
            loaders[loader], destination: Bool.random(using: &random) ? .memory : .disk, window: 4)
        prefetcher.start(numbers.map(request))
        await pause(40_000)
        if Bool.random(using: &random) { prefetcher.pause() }
        prefetcher.stopAll()
        for ticket in tickets { ledger.end(ticket, "prefetched") }
    }

    // MARK: Changing

    private func changePicture(_ number: Int) {
        site.change(number)
        ledger.note([number], "changed")
    }

    /// Removes an image during its transfer and after it was stored, and loads it right after each removal.
    private mutating func removeDuringLoad() async {
        let number = storable(removable(someNumber()))
        await remove(number)
        var request = self.request(number)
        if Bool.random(using: &random) { request.processors = [SlowProcessor()] }
        replies = site.picture(number).replies
        var (other, removing) = (self, self)
        other.random = SeededRandom(seed: random.next())
        removing.random = SeededRandom(seed: random.next())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [other, request] in
                var other = other
                await other.load(number, isCancelled: false, request)
            }
            group.addTask { [removing, request] in
                var removing = removing
                await removing.untilReply(number)
                await removing.pause(20_000)
                await removing.remove(number)
                for _ in 0..<3 { await removing.load(number, isCancelled: false, request) }
            }
        }
        for _ in 0..<2 {
            await load(number, isCancelled: false, request)
            await remove(number)
        }
        await load(number, isCancelled: false, request)
    }

    /// Waits until the server has begun to reply, with a time limit.
    private func untilReply(_ number: Int) async {
        for _ in 0..<200 where site.picture(number).replies == replies { await nap(.milliseconds(1)) }
    }

    /// The number of a nearby image that caches may reuse for a while.
    private mutating func storable(_ number: Int) -> Int {
        let rules: [ChaosSite.Rule] = [.oneSecond, .byDefault, .oneHour]
        return number - number % 6 + (rules.randomElement(using: &random) ?? .oneHour).rawValue
    }

    private func removable(_ number: Int) -> Int { ChaosSite.isRemoved(number) ? number : number - 6 }

    private func remove(_ selection: CacheSelection, from loader: Int) async {
        do throws(ImageLoaderError) {
            try await loaders[loader].remove(selection)
        } catch {
            Issue.record(error)
        }
    }

    private mutating func remove(_ number: Int) async {
        let (loader, number) = (someLoader(), removable(number))
        let url = url(ChaosSite.path(number))
        guard ChaosLoaders.isShared(loader) else { return await loaders[loader].remove(url) }
        changePicture(number)
        func pictures(where matches: (Int) -> Bool) -> [Int] { (0..<ChaosSite.count).filter(matches) }
        // Few calls remove many images, because no load that is running at that time is stored.
        switch Int.random(in: 0..<200, using: &random) {
        case 0:
            let (numbers, text) = (pictures { !ChaosSite.path($0).hasPrefix("/kept") }, self.url("/removed/"))
            await ledger.remove(numbers, "remove many", on: loader) {
                await remove(.prefix(text.absoluteString), from: loader)
            }
        case 1:
            let tag = ChaosSite.tag(number)
            let numbers = pictures { ChaosSite.tag($0) == tag }
            await ledger.remove(numbers, "remove tag", on: loader) { await remove(.tag(tag), from: loader) }
        case 2:
            let text = ChaosSite.path(number)
            let numbers = pictures { ChaosSite.path($0).hasPrefix(text) }
            await ledger.remove(numbers, "remove prefix", on: loader) {
                await remove(.prefix(url.absoluteString), from: loader)
            }
        default:
            await ledger.remove([number], "remove URL", on: loader, [nil]) { await loaders[loader].remove(url) }
        }
    }

    /// Makes one call of the file system fail, and one of a store of the program, which may be slow instead. Calls that
    /// remove a file are excluded, because the file would still count and could exceed the limit. No call reports an
    /// existing file as missing: the store would believe it, forget the entry, and find the file again when it lists
    /// the directory the next time.
    private mutating func failFiles() {
        let code = [EIO, ENOSPC, EMFILE].randomElement(using: &random) ?? EIO
        loaders.calls.failOnce(at: Int.random(in: 1..<6, using: &random)) { call, _ in
            [.close, .closedir, .closeWarm, .unlink].contains(call) ? nil : code
        }
        loaders.trouble.begin(Bool.random(using: &random) ? .delay : .failure)
    }

    private mutating func cancelAll() async {
        let loader = loaders[someLoader()]
        await ledger.end { await loader.cancelAll() }
    }

    private func reopen() async {
        await ledger.end { await loaders.reopen() }
    }
}

/// A processor that takes some milliseconds, in which other things can happen.
private struct SlowProcessor: ImageProcessing, Hashable {
    func identify(in identity: inout ProcessorIdentity) {}

    func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        Thread.sleep(forTimeInterval: 0.003)
        return picture
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
