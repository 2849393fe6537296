import Foundation

/// Storing the results of loads.
extension LoadPath {
    /// Stores an image if the response and the policies permit it.
    func store(_ loaded: LoadedImage, _ body: ResourceBody, _ load: Load) async -> Landing {
        guard let download = body.download, body.source == .network else { return await storeAgain(loaded, body, load) }
        guard load.request.writes != .nothing, load.request.isStorable else { return Landing(loaded) }
        let stage = begin(.store, load)
        defer { stage?.end(bytes: download.content.count) }
        guard download.mayBeStored, loaded.image.isComplete else {
            return await unstored(download.response, loaded, load)
        }
        var (tickets, replacesStored) = (load.tickets, body.replacesStored)
        if load.request.writes.fillsMemory, load.control.keepsResult {
            await storeInMemory(loaded, load, replacesStored: replacesStored)
        } else if replacesStored {
            let removed = await memory.remove(
                load.key.resource, replacedBy: download.response, begun: tickets.memory)
            if let removed { tickets.memory = removed }
        }
        guard replacesStored else { return await storeOnDisk(download, loaded, load, replacesStored: false) }
        return await storeOnDisk(download, loaded.with(tickets), load.with(tickets), replacesStored: true)
    }

    /// Stores an image whose bytes weren't just sent by the server.
    private func storeAgain(_ loaded: LoadedImage, _ body: ResourceBody, _ load: Load) async -> Landing {
        guard body.mayBeStored else { return await unstored(body.response, loaded, load) }
        if load.request.writes.fillsMemory { await storeInMemory(loaded, load) }
        return Landing(loaded, afterwards: storingMade(loaded, load))
    }

    func storeInMemory(_ loaded: LoadedImage, _ load: Load, replacesStored: Bool = false) async {
        guard load.control.keepsResult, loaded.image.isComplete else { return }
        let entry = MemoryEntry(loaded.image, tags: load.request.tags, response: loaded.response)
        await memory.store(
            entry, for: load.key, timeToLive: load.request.timeToLive, begun: load.tickets.memory,
            replacesStored: replacesStored)
    }

    /// Ends a load whose result isn't stored. If the new response says no-store, removes the entries of earlier
    /// responses. If only this request says no-store, they stay.
    func unstored(_ response: StoredResponse?, _ loaded: LoadedImage, _ load: Load) async -> Landing {
        let loaded = loaded.with(nil)
        if response?.mayBeStored != false { return Landing(loaded) }
        return Landing(loaded, afterwards: await forget(load.key.resource))
    }

    /// Stores a decoded download as configured.
    ///
    /// - Parameter replacesStored: Whether the download replaces a response that the caches may have.
    func storeOnDisk(
        _ download: Download, _ loaded: LoadedImage, _ load: Load, replacesStored: Bool
    ) async -> Landing {
        let request = load.request
        guard let disk, var ticket = load.tickets.disk, request.writes.fillsDisk || replacesStored,
            let diskKey = await disk.key(of: load.key.resource)
        else { return Landing(loaded) }
        // Only one of the loads that share the download replaces the entries and stores the bytes.
        guard download.claimStoring() else { return Landing(loaded, afterwards: storingMade(loaded, load, ticket)) }
        var loaded = loaded
        if replacesStored {
            guard let new = await disk.hide(diskKey, begun: ticket, isReplaced: true) else { return Landing(loaded) }
            ticket = new
            loaded = loaded.with(Load.Tickets(memory: load.tickets.memory, disk: new))
        }
        let storeMade = storingMade(loaded, load, ticket)
        let isStored = request.writes.fillsDisk && !request.expiresAtOnce
        // A later load needs the bytes, unless an image made from them is stored.
        let isInput = !load.control.keepsResult && losslessEncoder != nil && isFoundAgain(load)
        // An animation may turn out to be damaged when its later frames are processed for the disk.
        let isAnimation = loaded.image.animation != nil
        if isStored, contents != .processed || isAnimation || storeMade == nil && !isInput {
            await store(download, loaded.image, request, diskKey, begun: ticket)
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

    /// For a load that is the input of others: whether the disk can store the images that they make from it.
    private func isFoundAgain(_ load: Load) -> Bool {
        if load.key.variant.keepsMetadata { return false }
        let asked = load.request.values.asked ?? nil
        return asked?.isFoundAgain != false && scope.variant.processing?.isFoundAgain != false
    }

    private func store(
        _ download: Download, _ image: DecodedImage, _ request: ImageRequest, _ diskKey: StoredKey,
        begun ticket: StoredTier.Ticket
    ) async {
        var metadata = metadata(of: request, diskKey.source)
        metadata.response = download.response
        metadata.format = image.format
        metadata.size = image.originalSize
        await disk?.store(
            download.content, metadata, for: diskKey, timeToLive: request.timeToLive, begun: ticket)
    }

    /// Returns the work that stores a scaled or processed image once the callers have it; nil if it isn't stored.
    func storingMade(
        _ loaded: LoadedImage, _ load: Load, _ ticket: StoredTier.Ticket? = nil
    ) -> (@Sendable () async -> Void)? {
        let (request, key) = (load.request, load.key)
        let image = loaded.image
        guard request.isWeb, load.control.keepsResult, image.isComplete, let disk,
            let ticket = ticket ?? load.tickets.disk, key.variant.isMade, request.writes.fillsDisk,
            !request.expiresAtOnce,
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
                    .memory(file.bytes), metadata, for: diskKey, timeToLive: request.timeToLive, begun: ticket)
                stage?.end(bytes: file.bytes.count)
            } catch {
                stage?.end(error: error)
                // The loader is closing.
                if error == .cancelled { return }
                report?(.cacheFailed(CacheFailure(operation: .write, path: diskKey.source, reason: "\(error)")))
            }
        }
    }

    /// Whether a file can hold the image unchanged, and can be written within seconds.
    private func canWrite(_ image: DecodedImage) -> Bool {
        guard let animation = image.animation else { return losslessEncoder != nil }
        let pixels = image.size.width.multiplied(by: image.size.height).multiplied(by: animation.frameCount)
        return losslessAnimationEncoder != nil && pixels <= Self.pixelsOfStoredAnimation
            && animation.rawDelays.allSatisfy { SecondsFraction(nearest: $0).equals($0) }
    }

    private static let pixelsOfStoredAnimation = 50_000_000

    /// Whether the settings say that the disk stores the scaled or processed image.
    private func isSlow(_ loaded: LoadedImage, _ load: Load) -> Bool {
        contents.includes(
            loaded.image, isProcessed: load.key.variant.processing != nil, madeIn: load.control.makingTime)
    }

    func metadata(of request: ImageRequest, _ source: String) -> EntryMetadata {
        var metadata = EntryMetadata(source: source)
        metadata.tags = request.tags
        metadata.storedAt = time.secondsSince1970()
        return metadata
    }
}

extension EntryMetadata {
    /// Records the properties of an image that its file doesn't contain.
    mutating func describe(_ image: DecodedImage, in file: PictureFile) {
        format = ImageFormat(sniffing: file.bytes)
        size = image.size
        originalFormat = image.format
        originalSize = image.originalSize
        isOpaque = image.isOpaque
        profile = file.profile
    }
}
