/// Removing from both caches.
extension LoadPath {
    /// Removes the images of a resource from both caches. The order prevents anything that began earlier from being
    /// stored.
    ///
    /// Memory is removed first, because it answers at once, and again after the disk: a load that read the disk before
    /// has an older ticket. A caller that joins a flight later is served by one whose download and look-ups began after
    /// all of this: flights are retired before, and again those that have read the disk meanwhile.
    func remove(_ resource: ResourceKey) async {
        await downloads.retire(resource)
        await memory.remove(resource)
        await disk?.remove(resource)
        await downloads.retire(resource)
        await memory.remove(resource)
    }

    /// ``remove(_:)`` for all images.
    func removeAll() async {
        await downloads.retireAll()
        await memory.removeAll()
        await disk?.removeAll()
        await downloads.retireAll()
        await memory.removeAll()
    }

    /// ``remove(_:)`` for some images. Their resources aren't known yet.
    func remove(_ selection: CacheSelection) async {
        await downloads.retireAll()
        await memory.remove(selection, by: scope.keys)
        await disk?.remove(selection, by: scope.keys)
        await downloads.retireAll()
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
}
