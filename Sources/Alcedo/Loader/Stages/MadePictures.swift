import Foundation

/// The disk's images: the original bytes, and what was made from them.
extension LoadPath {
    /// Whether originals, processed images or both are stored on disk.
    var contents: DiskContents { disk?.settings.contents ?? .originals }

    /// The image as it was stored after scaling or processing, if the disk has it.
    func storedPicture(_ load: Load) async throws(ImageLoaderError) -> CacheAnswer<Landing, HeldImage> {
        guard load.request.query.policy.readsCaches, let key = await pictureKey(of: load) else { return .nothing }
        switch try await entry(key, load) {
        case .usable(let body):
            guard let loaded = try await image(of: body, load, isMade: true) else { return .nothing }
            if load.request.writes.fillsMemory { await storeInMemory(loaded, load) }
            if body.staleReason == .whileRevalidating { revalidateBehind(load) }
            return .usable(Landing(loaded))
        case .held(let response): return .held(HeldImage(response: response, image: nil))
        case .nothing: return .nothing
        }
    }

    /// The image that the disk has of a response which is known to be usable; nil if it is gone or of another version.
    func storedImage(_ load: Load, as known: KnownResponse) async throws(ImageLoaderError) -> LoadedImage? {
        if let key = await pictureKey(of: load), case .usable(let body) = try await entry(key, load, as: known),
            let image = try await image(of: body, load, isMade: true)
        {
            return image
        }
        guard let key = await disk?.key(of: load.key.resource),
            case .usable(let body) = try await entry(key, load, as: known)
        else { return nil }
        return try await image(of: body, load)
    }

    /// Nil if the disk can't have the image as it was made.
    private func pictureKey(of load: Load) async -> DiskKey? {
        guard contents != .originals, load.request.isWeb, load.key.variant.isFoundAgain else { return nil }
        return await disk?.key(of: load.key.resource)?.made(as: load.key.variant.text)
    }

    /// Stores a decoded download as configured.
    ///
    /// - Parameter replacesStored: Whether it replaces a response that the cache may have.
    func storeOnDisk(
        _ download: Download, _ loaded: LoadedImage, _ load: Load, replacesStored: Bool
    ) async -> Landing {
        let request = load.request
        guard let disk, let ticket = load.begun.disk, request.writes.fillsDisk || replacesStored,
            let diskKey = await disk.key(of: load.key.resource)
        else { return Landing(loaded) }
        // One of all who share the download replaces what is there, and stores the bytes.
        guard download.claimStoring() else { return Landing(loaded, afterwards: storingMade(loaded, load, ticket)) }
        var (place, loaded) = (ticket, loaded)
        if replacesStored {
            guard let new = await disk.hide(diskKey, begun: ticket, isReplaced: true) else { return Landing(loaded) }
            place = new
            loaded = loaded.with(Load.Tickets(memory: load.begun.memory, disk: new))
        }
        let storeMade = storingMade(loaded, load, place)
        let isStored = request.writes.fillsDisk && !request.expiresAtOnce
        // If no image is made from the bytes, a later load starts from them.
        let isInput = !load.control.keepsResult && losslessEncoder != nil && isFoundAgain(load)
        // An animation may turn out to be damaged when its later frames are processed for the disk.
        let isAnimation = loaded.image.animation != nil
        if isStored, contents != .processed || isAnimation || storeMade == nil && !isInput {
            await store(download, loaded.image, request, diskKey, begun: place)
        }
        return Landing(loaded) {
            if replacesStored {
                await disk.removeMade(of: diskKey)
            } else {
                await disk.removeMade(of: diskKey, replacedBy: download.response)
            }
            await storeMade?()
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

    /// Returns the work that stores an image made from the bytes, to be done once the callers have theirs; nil if it
    /// isn't stored.
    func storingMade(
        _ loaded: LoadedImage, _ load: Load, _ place: DiskStore.Ticket? = nil
    ) -> (@Sendable () async -> Void)? {
        let (request, key) = (load.request, load.key)
        let image = loaded.image
        guard request.isWeb, load.control.keepsResult, image.isComplete, let disk,
            let ticket = place ?? load.begun.disk, key.variant.isMade, request.writes.fillsDisk, !request.expiresAtOnce,
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
                let file = try await decoding.file(of: image) { [flights] in !flights.isClosed }
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
