import Foundation

/// Storing images and bytes that the program provides.
extension LoadPath {
    /// A file for the disk cache, and its properties.
    struct File: Sendable {
        let bytes: Data
        var metadata: EntryMetadata
    }

    /// Returns the tickets for an image that will be stored. They are taken before the image is made, so that a later
    /// removal takes precedence, and so does a store that begins later. The disk's ticket is taken first, so that a
    /// removal after it also removes the image from memory.
    func ticketsToStore(_ resource: ResourceKey) async -> Load.Tickets {
        let diskKey = await disk?.key(of: resource, evenIfCancelled: true)
        let ticket = if let diskKey { await disk?.ticketToReplace(diskKey) } else { StoredTier.Ticket?.none }
        return Load.Tickets(memory: await memory.ticketToReplace(resource), disk: ticket)
    }

    /// Returns the file of an image's bytes.
    func file(_ bytes: Data, _ size: PixelSize, for request: ImageRequest) -> File {
        var metadata = metadata(of: request, ResourceKey(request, in: scope).text.splitUserInfo.text)
        metadata.format = ImageFormat(sniffing: bytes)
        metadata.size = size
        return File(bytes: bytes, metadata: metadata)
    }

    /// Returns a file made from the program's image.
    func file(of image: DecodedImage, for request: ImageRequest) async throws(ImageLoaderError) -> File {
        let file = try await decoding.file(of: image)
        var metadata = metadata(of: request, ResourceKey(request, in: scope).text.splitUserInfo.text)
        metadata.describe(image, in: file)
        return File(bytes: file.bytes, metadata: metadata)
    }

    /// Replaces everything that the caches hold for an image's resource. Loads that began earlier can't undo that. Does
    /// nothing, or stops, once the resource is removed.
    ///
    /// - Parameter file: The file for the disk; nil to store none.
    /// - Parameter tickets: Nil if there is no disk cache and nothing had to be made.
    func store(
        _ image: DecodedImage, _ file: File?, for request: ImageRequest, in tiers: CacheTiers, _ tickets: Load.Tickets?
    ) async {
        let key = ImageKey(request, in: scope)
        await downloads.retire(key.resource)
        // The disk comes first, because a load that begins once memory has the image must find all sizes on disk.
        let isStored = await replaceOnDisk(file, for: request, key.resource, tickets)
        await downloads.retire(key.resource)
        if isStored {
            let entry = MemoryEntry(image.withScale(key.variant.scale), tags: request.tags)
            await memory.replace(
                with: tiers.contains(.memory) ? entry : nil, for: key, timeToLive: request.timeToLive,
                begun: tickets?.memory)
        }
    }

    /// Returns false if the resource was removed in the meantime.
    private func replaceOnDisk(
        _ file: File?, for request: ImageRequest, _ resource: ResourceKey, _ tickets: Load.Tickets?
    ) async -> Bool {
        guard let disk else { return true }
        guard var ticket = tickets?.disk, let diskKey = await disk.key(of: resource, evenIfCancelled: true) else {
            await disk.remove(source: resource.text.splitUserInfo.text)
            return true
        }
        let file = request.expiresAtOnce ? nil : file
        guard let new = await disk.hide(diskKey, begun: ticket, isReplaced: file != nil) else { return false }
        ticket = new
        await disk.removeMade(of: diskKey)
        guard let file else { return true }
        return await disk.replace(
            file.bytes, file.metadata, for: diskKey, timeToLive: request.timeToLive, begun: ticket)
    }
}
