/// Removal from both caches.
extension LoadPath {
    /// Removes the images of a resource from both caches. The order prevents anything that began earlier from being
    /// stored.
    ///
    /// Memory comes first, because it answers immediately, and again after the disk, so that a load that read the disk
    /// before its entry was removed has an older ticket. Flights are retired first, and again after the disk, so that a
    /// later caller only joins a flight whose download and look-ups began after the removal.
    func remove(_ resource: ResourceKey) async {
        await downloads.retire(resource)
        await memory.remove(resource)
        await disk?.remove(resource)
        await downloads.retire(resource)
        await memory.remove(resource)
    }

    /// Removes all images, as ``remove(_:)`` does for one resource.
    func removeAll() async {
        await downloads.retireAll()
        await memory.removeAll()
        await disk?.removeAll()
        await downloads.retireAll()
        await memory.removeAll()
    }

    /// Removes the selected images. Retires all flights, because it isn't known yet which resources are selected.
    /// Returns the error if a store of the program failed.
    func remove(_ selection: CacheSelection) async -> ImageLoaderError? {
        await downloads.retireAll()
        await memory.remove(selection, by: scope.keys)
        let error = await disk?.removed(selection, by: scope.keys)
        await downloads.retireAll()
        await memory.remove(selection, by: scope.keys)
        return error
    }

    /// Hides everything that earlier responses have left of a resource, because it would pass for the current image.
    /// Returns the work that remains on disk, which callers needn't wait for.
    func forget(_ resource: ResourceKey) async -> (@Sendable () async -> Void)? {
        let diskKey = await disk?.key(of: resource)
        // The disk comes first, because an image found there could be stored in memory again.
        if let diskKey { await disk?.hide(diskKey) }
        await memory.remove(resource)
        guard let disk, let diskKey else { return nil }
        return { await disk.removeMade(of: diskKey) }
    }
}
