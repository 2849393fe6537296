import Foundation

/// What programs put into the caches and take out of them by themselves.
extension LoadPath {
    /// Takes the pictures of a resource out of both caches. The order keeps out whatever began before.
    ///
    /// Memory comes first, as it answers at once, and again after the disk: who read the disk before shows a ticket
    /// from before that. Who joins a flight later is served by one whose download and look-ups began after all of it.
    func remove(_ resource: ResourceKey) async {
        await downloads.retire(resource)
        await memory.remove(resource)
        await disk?.remove(resource)
        await memory.remove(resource)
        await flights.retire(resource)
    }

    /// ``remove(_:)`` for all pictures.
    func removeAll() async {
        await downloads.retireAll()
        await memory.removeAll()
        await disk?.removeAll()
        await memory.removeAll()
        await flights.retireAll()
    }

    /// ``remove(_:)`` for some pictures. Of which resources they are, nobody knows yet.
    func remove(_ selection: CacheSelection) async {
        await downloads.retireAll()
        await memory.remove(selection)
        await disk?.remove(selection)
        await memory.remove(selection)
        await flights.retireAll()
    }

    /// What earlier responses left of a resource whose latest one must not be stored is removed: it would be shown as
    /// the present picture. Those who wait for `landing` do not wait for the disk.
    func forgetEarlier(_ resource: ResourceKey, _ landing: Landing) async -> Landing {
        let diskKey = await disk?.key(of: resource)
        // First, or what is found there could be kept in memory again.
        if let diskKey { await disk?.hide(diskKey) }
        await memory.remove(resource)
        guard let disk, let diskKey else { return landing }
        return Landing(landing.loaded, afterwards: { await disk.removeMade(of: diskKey) })
    }

    // MARK: Storing by hand

    /// A file for the disk, and what is known of it.
    struct File: Sendable {
        let bytes: Data
        var metadata: EntryMetadata
    }

    /// To be taken before anything is made of what will be stored: what is removed from then on stays removed, and a
    /// store that begins later wins. The disk's comes first, so whoever removes something after it removes it from
    /// memory too.
    func ticketsToStore(_ resource: ResourceKey) async -> Load.Tickets {
        let diskKey = await disk?.key(of: resource, evenIfCancelled: true)
        let ticket = if let diskKey { await disk?.ticketToReplace(diskKey) } else { DiskStore.Ticket?.none }
        return Load.Tickets(memory: await memory.ticketToReplace(resource), disk: ticket)
    }

    /// Bytes that hold a picture of that size.
    func file(_ bytes: Data, _ size: PixelSize, for request: ImageRequest) -> File {
        var metadata = metadata(of: request, ResourceKey(request, in: scope).splitUserInfo.text)
        metadata.format = ImageFormat(sniffing: bytes)
        metadata.size = size
        return File(bytes: bytes, metadata: metadata)
    }

    /// Puts a picture in the place of all that the caches have of its resource; loads that began before can't undo it.
    /// Does nothing, or no more, once the resource is removed.
    ///
    /// - Parameter file: what is kept on disk; nil to keep nothing there.
    func store(
        _ image: DecodedImage, _ file: File?, for request: ImageRequest, in tiers: CacheTiers, _ begun: Load.Tickets
    ) async {
        let key = ImageKey(request, in: scope)
        await downloads.retire(key.resource)
        // In this order: what begins once memory has the picture finds all sizes on disk.
        if await storeOnDisk(file, for: request, key.resource, begun) {
            let entry = tiers.contains(.memory) ? MemoryEntry(image, tags: request.tags) : nil
            await memory.replace(with: entry, for: key, timeToLive: request.timeToLive, begun: begun.memory)
        }
        await flights.retire(key.resource)
    }

    /// Whether the resource was not removed meanwhile.
    private func storeOnDisk(
        _ file: File?, for request: ImageRequest, _ resource: ResourceKey, _ begun: Load.Tickets
    ) async -> Bool {
        guard let disk else { return true }
        guard let ticket = begun.disk, let diskKey = await disk.key(of: resource, evenIfCancelled: true) else {
            await disk.remove(source: resource.splitUserInfo.text)
            return true
        }
        guard let place = await disk.hide(diskKey, begun: ticket) else { return false }
        await disk.removeMade(of: diskKey)
        guard let file, isKept(request) else { return true }
        return await disk.replace(
            file.bytes, file.metadata, for: diskKey, expires: disk.expiry(after: request.timeToLive), begun: place)
    }
}
