import Foundation

/// The path's use of the disk: the original bytes, and images made from them.
extension LoadPath {
    /// Whether originals, processed images or both are stored on disk.
    var contents: DiskContents { disk?.settings.contents ?? .originals }
    var bodyBudget: BodyBudget { downloads.bodyBudget }

    /// The disk's answer to a load.
    @inline(never) func stored(_ load: Load) async throws(ImageLoaderError) -> CacheAnswer<Landing, HeldResponse> {
        let key = load.key
        guard load.request.query.policy.readsCaches, let disk, let diskKey = await disk.key(of: key.resource) else {
            return .nothing
        }
        if hasPictures(of: key) {
            switch try await picture(disk, diskKey.made(as: key.variant.text), ImageVariant(), load) {
            case .usable(let loaded): return .usable(Landing(loaded))
            case .held(let held): return .held(held)
            case .nothing: break
            }
        }
        // Processors work on what another load finds.
        if key.variant.processing != nil { return .nothing }
        switch try await picture(disk, diskKey, key.variant, load) {
        case .usable(let loaded): return .usable(Landing(loaded, afterwards: processed(loaded, load)))
        case .held(let held): return .held(held)
        case .nothing: return .nothing
        }
    }

    /// The image of an entry that the server has confirmed, or that may be shown although it is stale. Nil if it is
    /// gone or of another version.
    func stored(
        _ load: Load, as response: StoredResponse, _ staleReason: StaleReason?
    ) async throws(ImageLoaderError) -> LoadedImage? {
        let key = load.key
        guard let disk, let diskKey = await disk.key(of: key.resource) else { return nil }
        let known = KnownResponse(response: response, staleReason: staleReason)
        if hasPictures(of: key),
            case .usable(let loaded) = try await picture(
                disk, diskKey.made(as: key.variant.text), ImageVariant(), load, known)
        {
            return loaded
        }
        guard case .usable(let loaded) = try await picture(disk, diskKey, key.variant, load, known) else { return nil }
        return loaded
    }

    private func hasPictures(of key: ImageKey) -> Bool { contents != .originals && key.variant.isFoundAgain }

    /// A response about which no decision is needed any more.
    private struct KnownResponse {
        let response: StoredResponse
        let staleReason: StaleReason?
    }

    /// - Parameter variant: The variant to make from the entry's bytes.
    private func picture(
        _ disk: DiskStore, _ diskKey: DiskKey, _ variant: ImageVariant, _ load: Load, _ known: KnownResponse? = nil
    ) async throws(ImageLoaderError) -> CacheAnswer<LoadedImage, HeldResponse> {
        let stage = begin(.disk, load)
        // A missing entry needs no room, and its download waits by priority.
        if !bodyBudget.hasRoomForRead, !(await disk.contains(diskKey)) {
            stage?.end()
            return .nothing
        }
        guard let share = await bodyBudget.admit() else {
            stage?.end(error: .cancelled)
            throw .cancelled
        }
        let start = time.now()
        guard let entry = await disk.entry(for: diskKey) else {
            share.release()
            stage?.end()
            return .nothing
        }
        share.add(entry.body.count)
        let readTime = time.now() - start
        let metadata = entry.metadata
        let answer = usable(metadata?.response, load, known)
        stage?.end(bytes: entry.body.count, answer)
        switch answer {
        case .usable(let use):
            return try await decoded(entry.body, share, metadata, use, diskKey, variant, readTime, load)
        case .held(let held):
            share.release()
            return .held(held)
        case .nothing:
            share.release()
            return .nothing
        }
    }

    /// Whether an entry's response may be used.
    private func usable(
        _ response: StoredResponse?, _ load: Load, _ known: KnownResponse?
    ) -> CacheAnswer<(response: StoredResponse?, staleReason: StaleReason?), HeldResponse> {
        if let known {
            guard response?.version == known.response.version else { return .nothing }
            return .usable((known.response, known.staleReason))
        }
        // The program stored it, and no server can confirm it.
        guard let response else {
            return load.request.query.policy == .revalidate ? .nothing : .usable((nil, nil))
        }
        switch load.request.query.decision(on: response.freshness, at: time.secondsSince1970()) {
        case .use(let reason): return .usable((response, reason))
        case .useAndRevalidate:
            revalidateBehind(load)
            return .usable((response, .whileRevalidating))
        case .revalidate: return .held(HeldResponse(response: response, image: nil))
        case .fetch, .fail: return .nothing
        }
    }

    private func decoded(
        _ body: Data, _ share: BodyShare, _ metadata: EntryMetadata?,
        _ use: (response: StoredResponse?, staleReason: StaleReason?), _ diskKey: DiskKey, _ variant: ImageVariant,
        _ readTime: Duration, _ load: Load
    ) async throws(ImageLoaderError) -> CacheAnswer<LoadedImage, HeldResponse> {
        do throws(ImageLoaderError) {
            var (image, timings) = try await decoded(body, share, load, as: variant)
            timings.disk = readTime
            if let metadata { image = image.restored(from: metadata, as: load.key.variant) }
            let loaded = LoadedImage(
                image, from: .disk, use.response, staleReason: use.staleReason, timings: timings, tickets: load.begun)
            if load.request.writes.fillsMemory { await keepInMemory(loaded, load) }
            return .usable(loaded)
        } catch {
            switch error {
            // A download would end the same way.
            case .cancelled, .limitExceeded: throw error
            default: break
            }
            if let metadata, metadata.response != nil, metadata.size == nil {
                // The file was stored without being decoded, and is no picture.
                await disk?.discard(diskKey)
            } else {
                // The file could be decoded when it was stored. The download replaces it.
                report?(.cacheFailed(CacheFailure(operation: .read, path: diskKey.source, reason: "\(error)")))
            }
            return .nothing
        }
    }

    /// Stores a decoded download as configured.
    ///
    /// - Parameter isRenewed: Whether it replaces a response that the cache may have.
    func keepOnDisk(
        _ download: Download, _ loaded: LoadedImage, _ load: Load, isRenewed: Bool
    ) async -> Landing {
        let request = load.request
        guard let disk, let ticket = load.begun.disk, request.writes.fillsDisk || isRenewed,
            let diskKey = await disk.key(of: load.key.resource)
        else { return Landing(loaded) }
        // One of all who share the download replaces what is there, and stores the bytes.
        guard download.claimStoring() else { return Landing(loaded, afterwards: processed(loaded, load, ticket)) }
        var (place, loaded) = (ticket, loaded)
        if isRenewed {
            guard let new = await disk.hide(diskKey, begun: ticket, isReplaced: true) else { return Landing(loaded) }
            place = new
            loaded = loaded.with(Load.Tickets(memory: load.begun.memory, disk: new))
        }
        let processed = processed(loaded, load, place)
        let isStored = request.writes.fillsDisk && isKept(request)
        // If no image is made from the bytes, a later load starts from them.
        let isInput = !load.control.keepsResult && losslessEncoder != nil && isFoundAgain(load)
        // An animation may turn out to be damaged when its later frames are processed for the disk.
        let isAnimation = loaded.image.animation != nil
        if isStored, contents != .processed || isAnimation || processed == nil && !isInput {
            await store(download, loaded.image, request, diskKey, begun: place)
        }
        return Landing(loaded) {
            if isRenewed {
                await disk.removeMade(of: diskKey)
            } else {
                await disk.removeMade(of: diskKey, replacedBy: download.response)
            }
            await processed?()
        }
    }

    /// Whether the disk can store what processors make of the image of a load that is another one's input.
    private func isFoundAgain(_ load: Load) -> Bool {
        let asked = load.request.values.asked ?? nil
        return asked?.isFoundAgain != false && scope.variant.processing?.isFoundAgain != false
    }

    private func store(
        _ download: Download, _ image: DecodedImage, _ request: ImageRequest, _ diskKey: DiskKey,
        begun ticket: DiskStore.Ticket
    ) async {
        var metadata = metadata(of: request, diskKey.source)
        metadata.response = download.response
        metadata.format = image.format
        metadata.size = image.originalSize
        await disk?.store(
            download.body, metadata, for: diskKey, expires: disk?.expiry(after: request.timeToLive), begun: ticket)
    }

    /// Whether its time is not over before it begins.
    func isKept(_ request: ImageRequest) -> Bool { request.timeToLive.map { $0 > .zero } ?? true }

    /// Returns the work that stores an image made from the bytes, to be done once the callers have theirs; nil if it
    /// isn't stored.
    func processed(
        _ loaded: LoadedImage, _ load: Load, _ place: DiskStore.Ticket? = nil
    ) -> (@Sendable () async -> Void)? {
        let (request, key) = (load.request, load.key)
        let image = loaded.image
        guard request.isWeb, load.control.keepsResult, image.isComplete, let disk,
            let ticket = place ?? load.begun.disk, key.variant.isMade, request.writes.fillsDisk, isKept(request),
            isSlow(loaded, load), canWrite(image), key.variant.isFoundAgain
        else { return nil }
        return { [self] in
            guard let original = await disk.key(of: key.resource) else { return }
            let diskKey = original.made(as: key.variant.text)
            var metadata = metadata(of: request, diskKey.source)
            metadata.original = original.text
            metadata.response = loaded.response
            let stage = begin(.store, load)
            do throws(ImageLoaderError) {
                let file = try await decoding.file(of: image) { [dataLoads] in !dataLoads.isClosed }
                metadata.describe(image, in: file)
                await disk.store(
                    file.bytes, metadata, for: diskKey, expires: disk.expiry(after: request.timeToLive), begun: ticket)
                stage?.end(bytes: file.bytes.count)
            } catch {
                stage?.end(error: error)
                // The loader is closing.
                if error == .cancelled { return }
                report?(.cacheFailed(CacheFailure(operation: .write, path: diskKey.source, reason: "\(error)")))
            }
        }
    }

    /// Whether a file can hold the image unchanged, and is made in seconds.
    private func canWrite(_ image: DecodedImage) -> Bool {
        guard let animation = image.animation else { return losslessEncoder != nil }
        let pixels = image.size.width.multiplied(by: image.size.height).multiplied(by: animation.frameCount)
        return losslessAnimationEncoder != nil && pixels <= Self.pixelsOfStoredAnimation
            && animation.rawDelays.allSatisfy { SecondsFraction(nearest: $0).equals($0) }
    }

    private static let pixelsOfStoredAnimation = 50_000_000

    /// Whether the disk stores an image as it was made.
    private func isSlow(_ loaded: LoadedImage, _ load: Load) -> Bool {
        contents.includes(
            loaded.image, isProcessed: load.key.variant.processing != nil, madeIn: load.control.makingTime)
    }

    /// A file for the disk, made from the program's image.
    func file(of image: DecodedImage, for request: ImageRequest) async throws(ImageLoaderError) -> File {
        let file = try await decoding.file(of: image)
        var metadata = metadata(of: request, ResourceKey(request, in: scope).text.splitUserInfo.text)
        metadata.describe(image, in: file)
        return File(bytes: file.bytes, metadata: metadata)
    }

    func metadata(of request: ImageRequest, _ source: String) -> EntryMetadata {
        var metadata = EntryMetadata(source: source)
        metadata.tags = request.tags
        metadata.storedAt = time.secondsSince1970()
        return metadata
    }

    /// Whether the disk has bytes that the image of `key` can be made from.
    func isOnDisk(_ key: ImageKey) async -> Bool {
        guard let disk, let diskKey = await disk.key(of: key.resource) else { return false }
        if await disk.contains(diskKey) { return true }
        return !key.variant.isMade ? false : await disk.contains(diskKey.made(as: key.variant.text))
    }
}

extension EntryMetadata {
    /// Records the properties of an image that its file doesn't contain.
    fileprivate mutating func describe(_ image: DecodedImage, in file: PictureFile) {
        format = ImageFormat(sniffing: file.bytes)
        size = image.size
        originalFormat = image.format
        originalSize = image.originalSize
        isOpaque = image.isOpaque
        profile = file.profile
    }
}

extension DecodedImage {
    /// The image as it was when it was stored, as far as its entry says. The entry of original bytes says nothing.
    fileprivate func restored(from metadata: EntryMetadata, as variant: ImageVariant) -> DecodedImage {
        guard metadata.original != nil || metadata.originalSize != nil else { return self }
        var original = originalSize
        // The metadata may be wrong. A loaded image is no larger than its original unless it was scaled up.
        let mayBeSmaller =
            metadata.original == nil || variant.target?.allowsUpscaling == true || variant.processing != nil
        let least = mayBeSmaller ? PixelSize(width: 1, height: 1) : size
        if let told = metadata.originalSize, told.width >= least.width, told.height >= least.height { original = told }
        let profile = profile ?? metadata.profile
        return DecodedImage(
            bitmap: bitmap, format: metadata.originalFormat ?? format, originalSize: original,
            isOpaque: isOpaque || metadata.isOpaque, profile: profile, animation: animation?.withProfile(profile),
            scale: scale, isComplete: isComplete)
    }
}
