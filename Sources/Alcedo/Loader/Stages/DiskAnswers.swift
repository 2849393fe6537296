import Foundation

/// Look-ups on disk, of original bytes and of images made from them.
extension LoadPath {
    /// Whether originals, processed images or both are stored on disk.
    var contents: DiskContents { disk?.contents ?? .originals }

    /// Returns the image that was stored after scaling or processing, if the disk has it.
    ///
    /// - Parameter waits: Whether to wait for a slow store, because the server has failed.
    func storedPicture(
        _ load: Load, waits: Bool = false
    ) async throws(ImageLoaderError) -> CacheAnswer<Landing, UnconfirmedImage> {
        guard load.request.query.policy.readsCaches, let key = await pictureKey(of: load) else { return .nothing }
        switch try await entry(key, load, waits: waits) {
        case .usable(let body):
            guard let loaded = try await image(of: body, load, isMade: true) else { return .nothing }
            if load.request.writes.fillsMemory { await storeInMemory(loaded, load) }
            if body.staleReason == .whileRevalidating { revalidateBehind(load) }
            return .usable(Landing(loaded))
        case .unconfirmed(let response): return .unconfirmed(UnconfirmedImage(response: response, image: nil))
        case .nothing: return .nothing
        }
    }

    /// Returns the image on disk for a response that is known to be usable; nil if it is gone or of another version.
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

    /// Returns the key of the scaled or processed image; nil if the disk can't have it.
    private func pictureKey(of load: Load) async -> StoredKey? {
        guard contents != .originals, load.request.isWeb, load.key.variant.isFoundAgain else { return nil }
        return await disk?.key(of: load.key.resource)?.made(as: load.key.variant.text)
    }

    /// Returns whether the disk has bytes from which the image of `key` can be made.
    func isOnDisk(_ key: ImageKey) async -> Bool {
        guard let disk, let diskKey = await disk.key(of: key.resource) else { return false }
        if await disk.contains(diskKey, waits: true) { return true }
        guard key.variant.isFoundAgain else { return false }
        return await disk.contains(diskKey.made(as: key.variant.text), waits: true)
    }
}
