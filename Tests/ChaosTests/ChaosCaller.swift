import Alcedo
import AlcedoTestSupport
import Foundation

/// One of the many Tasks that do random things at the same time.
struct ChaosCaller {
    let site: ChaosSite
    let ledger: ChaosLedger
    let loaders: ChaosLoaders
    let url: @Sendable (String) -> URL
    var random: SeededRandom

    mutating func act() async {
        switch Int.random(in: 0..<1_000, using: &random) {
        case 0..<300: await load(someNumber(), isCancelled: false)
        case 300..<380: await removeDuringLoad()
        case 380..<560: await load(someNumber(), isCancelled: true)
        case 560..<700: await handle()
        case 700..<760: await data()
        case 760..<800: await prefetch()
        case 800..<860: changePicture()
        case 860..<930: await remove(someNumber())
        case 930..<960: await trim()
        case 960..<985: failFiles()
        case 985..<990: await loaders.disk.flush()
        case 990..<993: await cancelAll()
        case 993..<996: await reopen()
        default: _ = await loaders.disk.verify()
        }
    }

    // MARK: Loading

    /// A picture; a few of them are far more popular than the others.
    private mutating func someNumber() -> Int {
        let bound = Bool.random(using: &random) ? 12 : ChaosSite.count
        return Int.random(in: 0..<bound, using: &random)
    }

    private mutating func someLoader() -> Int { Int.random(in: 0..<ChaosLoaders.count, using: &random) }

    private mutating func someRequest(_ number: Int) -> ImageRequest {
        var request = ImageRequest(url: url("/p/\(number)"))
        request.tags = ["tag \(number % 10)"]
        request.priority = RequestPriority.allCases.randomElement(using: &random) ?? .normal
        switch Int.random(in: 0..<6, using: &random) {
        case 0: request.targetSize = PixelSize(width: 10, height: 10)
        case 1: request.processors = [SlowProcessor()]
        case 2: request.processors = [.resize(to: PixelSize(width: 12, height: 8)), .blur(radius: 1)]
        default: break
        }
        switch Int.random(in: 0..<12, using: &random) {
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

    private mutating func load(_ number: Int, isCancelled: Bool) async {
        let loader = someLoader()
        let request = someRequest(number)
        let ticket = ledger.begin(
            number, "\(request.readPolicy?.rawValue ?? "plain") load \(request.processors.count)",
            isShared: ChaosLoaders.isShared(loader))
        let limit = isCancelled ? Int.random(in: 0..<20_000, using: &random) : nil
        let result = await withTaskGroup(of: Result<ImageResponse, ImageLoaderError>.self) { group in
            group.addTask { [loader = loaders[loader]] in
                do throws(ImageLoaderError) {
                    return .success(try await loader.response(for: request))
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
        if let result { finish(ticket, request, result, isCancelled: isCancelled) }
    }

    private mutating func handle() async {
        let (number, loader) = (someNumber(), someLoader())
        let request = someRequest(number)
        let ticket = ledger.begin(
            number, "handle \(request.readPolicy?.rawValue ?? "plain")", isShared: ChaosLoaders.isShared(loader))
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
        // The outcome stays what it was, even if the handle is cancelled afterwards.
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
        let takesAll = request.readPolicy == .cachedOnly || request.readPolicy == .immutable
        switch result {
        case .success(let response):
            let bitmap = response.image.bitmap
            let size = expectedSize(request, ticket.number)
            ledger.must(bitmap.size == size, "the picture has \(bitmap.size), not \(size), pixels", ticket.number)
            let pixel = bitmap[bitmap.size.width / 2, bitmap.size.height / 2]
            let color = PixelColor(red: pixel.x, green: pixel.y, blue: pixel.z, alpha: pixel.w)
            ledger.judge(color, ticket, isStale: takesAll || response.staleReason != nil)
            ledger.end(ticket, "\(response.source)")
        case .failure(let error):
            ledger.judge(
                error, ticket, isCancelled: isCancelled || Task.isCancelled,
                cachedOnly: request.readPolicy == .cachedOnly)
            ledger.end(ticket, error.kind.rawValue)
        }
    }

    private func expectedSize(_ request: ImageRequest, _ number: Int) -> PixelSize {
        let size = ChaosSite.size(number)
        if request.processors.count == 2 { return PixelSize(width: 12, height: 8) }
        guard request.targetSize != nil else { return size }
        // It fits into 10 by 10.
        return size.width >= size.height
            ? PixelSize(width: 10, height: (10 * size.height + size.width / 2) / size.width)
            : PixelSize(width: (10 * size.width + size.height / 2) / size.height, height: 10)
    }

    private mutating func data() async {
        let (number, loader) = (someNumber(), someLoader())
        let request = ImageRequest(url: url("/p/\(number)"))
        let ticket = ledger.begin(number, "data", isShared: ChaosLoaders.isShared(loader))
        do throws(ImageLoaderError) {
            let data = try await loaders[loader].data(for: request)
            let newest = site.picture(number).versions.count - 1
            let isWhole = (max(0, newest - 255)...newest).contains { site.file(number, $0) == data }
            ledger.must(isWhole || site.picture(number).wasDamaged, "the bytes are those of no version", number)
            ledger.end(ticket, "data")
        } catch {
            ledger.judge(error, ticket, isCancelled: Task.isCancelled, cachedOnly: false)
            ledger.end(ticket, error.kind.rawValue)
        }
    }

    private mutating func prefetch() async {
        let (first, loader) = (someNumber(), someLoader())
        let numbers = (0..<8).map { (first + $0) % ChaosSite.count }
        let tickets = numbers.map { ledger.begin($0, "prefetch", isShared: ChaosLoaders.isShared(loader)) }
        let prefetcher = ImagePrefetcher(
            loaders[loader], destination: Bool.random(using: &random) ? .memory : .disk, window: 4)
        prefetcher.start(numbers.map { ImageRequest(url: url("/p/\($0)")) })
        await pause(40_000)
        if Bool.random(using: &random) { prefetcher.pause() }
        prefetcher.stopAll()
        for ticket in tickets { ledger.end(ticket, "prefetched") }
    }

    // MARK: Changing

    private mutating func changePicture() {
        let number = someNumber()
        site.change(number)
        ledger.note([number], "changed")
    }

    /// A removal while a picture is on its way, and a load right after it.
    private mutating func removeDuringLoad() async {
        let number = someNumber()
        var (other, removing) = (self, self)
        other.random = SeededRandom(seed: random.next())
        removing.random = SeededRandom(seed: random.next())
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [other] in
                var other = other
                await other.load(number, isCancelled: false)
            }
            group.addTask { [removing] in
                var removing = removing
                await removing.pause(6_000)
                await removing.remove(number)
                for _ in 0..<3 { await removing.load(number, isCancelled: false) }
            }
        }
        await load(number, isCancelled: false)
    }

    private mutating func remove(_ number: Int) async {
        let loader = someLoader()
        guard ChaosLoaders.isShared(loader) else { return await loaders[loader].remove(url("/p/\(number)")) }
        site.change(number)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            let numbers = Array(0..<ChaosSite.count)
            await ledger.remove(numbers, "remove all") { await loaders[loader].removeAll() }
        case 1:
            let numbers = (0..<ChaosSite.count).filter { $0 % 10 == number % 10 }
            await ledger.remove(numbers, "remove tag") { await loaders[loader].remove(.tag("tag \(number % 10)")) }
        case 2:
            let text = url("/p/\(number)").absoluteString
            let numbers = (0..<ChaosSite.count).filter { url("/p/\($0)").absoluteString.hasPrefix(text) }
            await ledger.remove(numbers, "remove prefix") { await loaders[loader].remove(.prefix(text)) }
        case 3:
            let request = ImageRequest(url: url("/p/\(number)"))
            await ledger.remove([number], "remove request") { await loaders[loader].remove(request) }
        default:
            let url = url("/p/\(number)")
            await ledger.remove([number], "remove URL") { await loaders[loader].remove(url) }
        }
    }

    private mutating func trim() async {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: await loaders.memory.trim(toFraction: 0.5)
        case 1: await loaders.memory.trim(toBytes: 1_000)
        case 2: _ = await loaders.disk.trim(toBytes: 20_000)
        default: await loaders.memory.removeAll()
        }
    }

    /// Makes one call of the file system fail, or all of a kind for as long as one action lasts.
    private mutating func failFiles() {
        let code = [EIO, ENOSPC, EMFILE, ENOENT].randomElement(using: &random) ?? EIO
        loaders.calls.failOnce(at: Int.random(in: 1..<6, using: &random)) { call, _ in
            call == .close || call == .closedir || call == .closeWarm ? nil : code
        }
    }

    private mutating func cancelAll() async {
        let loader = loaders[someLoader()]
        await ledger.end { await loader.cancelAll() }
    }

    private func reopen() async {
        await ledger.end { await loaders.reopen() }
    }
}

/// Takes some milliseconds, in which other things can happen.
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
