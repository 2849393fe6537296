import Foundation

/// The program's own changes of the caches.
extension LoadPath {
    /// The image from memory.
    @inline(never) func found(_ request: ImageRequest) -> LoadedImage? {
        inMemory(request).map { LoadedImage($0.found, staleReason: $0.staleReason) }
    }

    /// The image in memory, if it answers the request.
    func inMemory(_ request: ImageRequest) -> (found: MemoryCache.Found, staleReason: StaleReason?)? {
        let query = request.query(by: policies)
        guard query.trustsCaches || query.acceptsStale else { return nil }
        let found = memory.find(
            ImageKey(request, in: scope), largerServes: request.precision == .atLeast, keepsReleased: true,
            acceptsStale: query.acceptsStale)
        return found.map { ($0, staleReason(of: $0, isByPolicy: query.acceptsStale)) }
    }

    /// Removes the images of a resource from both caches. The order prevents anything that began earlier from being
    /// stored.
    ///
    /// Memory is removed first, because it answers at once, and again after the disk: a load that read the disk before
    /// has an older ticket. A caller that joins a flight later is served by one whose download and look-ups began after
    /// all of this.
    func remove(_ resource: ResourceKey) async {
        await downloads.retire(resource)
        await memory.remove(resource)
        await disk?.remove(resource)
        await memory.remove(resource)
    }

    /// ``remove(_:)`` for all images.
    func removeAll() async {
        await downloads.retireAll()
        await memory.removeAll()
        await disk?.removeAll()
        await memory.removeAll()
    }

    /// ``remove(_:)`` for some images. Their resources aren't known yet.
    func remove(_ selection: CacheSelection) async {
        await downloads.retireAll()
        await memory.remove(selection, by: scope.keys)
        await disk?.remove(selection, by: scope.keys)
        await memory.remove(selection, by: scope.keys)
    }

    /// Removes what earlier responses left of a resource, because it would be shown as the current image. Look-ups no
    /// longer find it. Returns the work that remains on disk, for which callers needn't wait.
    func forget(_ resource: ResourceKey) async -> (@Sendable () async -> Void)? {
        let diskKey = await disk?.key(of: resource)
        // First, because what is found there could be stored in memory again.
        if let diskKey { await disk?.hide(diskKey) }
        await memory.remove(resource)
        guard let disk, let diskKey else { return nil }
        return { await disk.removeMade(of: diskKey) }
    }

    // MARK: Storing by hand

    /// A file for the disk, and its properties.
    struct File: Sendable {
        let bytes: Data
        var metadata: EntryMetadata
    }

    /// Returns the tickets for an image that will be stored. They are taken before it is made, so a removal from then
    /// on wins, and so does a store that begins later. The disk's ticket comes first, so that a removal after it also
    /// removes the image from memory.
    func ticketsToStore(_ resource: ResourceKey) async -> Load.Tickets {
        let diskKey = await disk?.key(of: resource, evenIfCancelled: true)
        let ticket = if let diskKey { await disk?.ticketToReplace(diskKey) } else { DiskStore.Ticket?.none }
        return Load.Tickets(memory: await memory.ticketToReplace(resource), disk: ticket)
    }

    /// The bytes of an image with that size.
    func file(_ bytes: Data, _ size: PixelSize, for request: ImageRequest) -> File {
        var metadata = metadata(of: request, ResourceKey(request, in: scope).text.splitUserInfo.text)
        metadata.format = ImageFormat(sniffing: bytes)
        metadata.size = size
        return File(bytes: bytes, metadata: metadata)
    }

    /// Replaces everything that the caches hold of an image's resource. Loads that began earlier can't undo it. Does
    /// nothing, or stops, once the resource is removed.
    ///
    /// - Parameter file: The file for the disk; nil to store none.
    /// - Parameter begun: Nil if there is no disk cache and nothing had to be made.
    func store(
        _ image: DecodedImage, _ file: File?, for request: ImageRequest, in tiers: CacheTiers, _ begun: Load.Tickets?
    ) async {
        let key = ImageKey(request, in: scope)
        await downloads.retire(key.resource)
        // In this order, because a load that begins once memory has the image must find all sizes on disk.
        if await storeOnDisk(file, for: request, key.resource, begun) {
            let entry = MemoryEntry(image.withScale(key.variant.scale), tags: request.tags)
            await memory.replace(
                with: tiers.contains(.memory) ? entry : nil, for: key, timeToLive: request.timeToLive,
                begun: begun?.memory)
        }
    }

    /// Returns false if the resource was removed in the meantime.
    private func storeOnDisk(
        _ file: File?, for request: ImageRequest, _ resource: ResourceKey, _ begun: Load.Tickets?
    ) async -> Bool {
        guard let disk else { return true }
        guard let ticket = begun?.disk, let diskKey = await disk.key(of: resource, evenIfCancelled: true) else {
            await disk.remove(source: resource.text.splitUserInfo.text)
            return true
        }
        let file = isKept(request) ? file : nil
        guard let place = await disk.hide(diskKey, begun: ticket, isReplaced: file != nil) else { return false }
        await disk.removeMade(of: diskKey)
        guard let file else { return true }
        return await disk.replace(
            file.bytes, file.metadata, for: diskKey, expires: disk.expiry(after: request.timeToLive), begun: place)
    }
}
