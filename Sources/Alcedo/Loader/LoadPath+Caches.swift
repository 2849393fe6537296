import Foundation

/// What programs put into the caches and take out of them by themselves.
extension LoadPath {
    /// Takes the pictures of a resource out of both caches. The order keeps out whatever began before.
    ///
    /// Memory comes first, as it answers at once, and again after the disk: who read the disk before shows a ticket from
    /// before that. Who joins a flight later is served by one whose download and look-ups began after all of it.
    func remove(_ resource: ResourceKey) async {
        await downloads.retire(resource)
        await memory.remove(resource)
        await disk?.remove(diskKey(resource))
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
        _ = await memory.removeAll { selection.inMemory.contains($0, $1) }
        _ = await disk?.remove(selection.onDisk)
        _ = await memory.removeAll { selection.inMemory.contains($0, $1) }
        await flights.retireAll()
    }

    /// Takes pictures out of memory alone. A load that began before can't bring them back there, and no caller joins it.
    func removeFromMemory(where matches: @Sendable (ImageKey, MemoryEntry) -> Bool) async -> Int {
        let count = await memory.removeAll(where: matches)
        await flights.retireAll()
        return count
    }

    /// Takes entries off the disk alone. A load that began before can't bring them back there, and no caller joins it.
    func removeFromDisk(_ selection: DiskSelection) async -> [RemovedEntry] {
        guard let disk else { return [] }
        await downloads.retireAll()
        let removed = await disk.remove(selection)
        await flights.retireAll()
        return removed
    }

    /// Puts a picture in the place of all that the caches have of its resource; loads that began before can't undo it.
    func store(_ image: DecodedImage, bytes: Data?, for request: ImageRequest, in tiers: CacheTiers) async {
        let key = ImageKey(request)
        await remove(key.resource)
        if let bytes, let disk, tiers.includesDisk, isKept(request) {
            let diskKey = diskKey(key.resource)
            var metadata = metadata(of: request, diskKey)
            metadata.format = ImageFormat(sniffing: bytes)
            metadata.size = image.originalSize
            await disk.replace(bytes, metadata, for: diskKey, expires: expiry(of: request))
        }
        // In one turn, as a load may have begun since the removal. After the disk: what begins from now on finds all sizes
        // there.
        if tiers.includesMemory {
            let entry = MemoryEntry(image, tags: request.tags)
            await memory.replace(with: entry, for: key, timeToLive: request.timeToLive)
        } else {
            await memory.remove(key.resource)
        }
        await flights.retire(key.resource)
    }
}
