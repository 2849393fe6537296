public import Foundation

// What programs store in both caches, remove from them and ask of them.

extension ImageLoader {
    /// Stores a picture that the program made, as if it had been loaded for `request`, in place of everything that the
    /// caches have of its source. Loads that this loader began before can't undo it, and removing it meanwhile wins.
    ///
    /// A picture is found on disk as it was stored: pixels, opacity, colour profile, original size, and the animation
    /// with all its frames and delays.
    /// - Parameters:
    ///   - image: the picture; its pixels are shared.
    ///   - request: what it is found by.
    ///   - tiers: where it is kept. On disk an animation that was neither scaled nor converted is kept as the file that
    ///     it was decoded from, and anything else as PNG, which costs some 50 ms per megapixel and frame on other
    ///     threads.
    /// - Throws: before anything changes: ``ImageLoaderError/unsupportedConfiguration(_:)`` when the disk is asked for
    ///   and can't hold it (without a disk cache or PNG, for a picture of a ``ImageRequest/targetSize``, or for bytes
    ///   of the program's own and local files, which are never looked for there);
    ///   ``ImageLoaderError/encodingFailed(_:reason:)`` for a picture that PNG would change, because colours are above
    ///   the alpha of their pixel or a delay is no fraction of 16-bit numbers; the error that decoding it again would
    ///   throw; and what is wrong with the request.
    public func store(
        _ image: DecodedImage, for request: ImageRequest, in tiers: CacheTiers = .memory
    ) async throws(ImageLoaderError) {
        try validate(request, storing: tiers)
        if tiers.contains(.disk), request.targetSize != nil {
            throw .unsupportedConfiguration("a scaled picture can't be stored on disk as the original")
        }
        let begun = await path.ticketsToStore(key(for: request).resource)
        let file = tiers.contains(.disk) ? try await path.file(of: image, for: request) : nil
        await path.store(image, file, for: request, in: tiers, begun)
    }

    /// Stores bytes that the program has, as if they had been downloaded for `request`; see
    /// ``store(_:for:in:)-(DecodedImage,_,_)``.
    ///
    /// They are decoded first, so that nothing is kept that could not be shown.
    /// - Parameters:
    ///   - data: a file's bytes, in a format that can be decoded.
    ///   - request: what they are found by.
    ///   - tiers: where they are kept; nil, the default, is wherever they are looked for.
    /// - Throws: before anything changes, the errors of decoding, what is wrong with the request, and
    ///   ``ImageLoaderError/unsupportedConfiguration(_:)`` when the disk is asked for and can't hold them.
    public func store(
        _ data: Data, for request: ImageRequest, in tiers: CacheTiers? = nil
    ) async throws(ImageLoaderError) {
        let tiers = tiers ?? defaultTiers(of: request)
        try validate(request, storing: tiers)
        if data.isEmpty { throw .emptyBody }
        let begun = await path.ticketsToStore(key(for: request).resource)
        let image = try await path.decoding.decode(data, as: key(for: request).variant)
        let file = tiers.contains(.disk) ? path.file(data, image.originalSize, for: request) : nil
        await path.store(image, file, for: request, in: tiers, begun)
    }

    /// Stores a picture with the file that it was decoded from: memory keeps the picture, the disk keeps the bytes. See
    /// ``store(_:for:in:)-(DecodedImage,_,_)``.
    ///
    /// Nothing is decoded: only the head of the file is read, and that it shows the picture is the caller's word.
    /// - Parameters:
    ///   - image: the picture as `request` asks for it, perhaps scaled; its pixels are shared.
    ///   - data: a file's bytes, in a format that can be decoded.
    ///   - request: what they are found by.
    ///   - tiers: where they are kept; nil, the default, is wherever they are looked for.
    /// - Throws: before anything changes, ``ImageLoaderError/emptyBody``, what is wrong with the head of the file or
    ///   with the request, and ``ImageLoaderError/unsupportedConfiguration(_:)`` when the disk is asked for and can't
    ///   hold them.
    public func store(
        _ image: DecodedImage, data: Data, for request: ImageRequest, in tiers: CacheTiers? = nil
    ) async throws(ImageLoaderError) {
        let tiers = tiers ?? defaultTiers(of: request)
        try validate(request, storing: tiers)
        if data.isEmpty { throw .emptyBody }
        let begun = await path.ticketsToStore(key(for: request).resource)
        let size = try await path.decoding.header(of: data).uprightSize
        let file = tiers.contains(.disk) ? path.file(data, size, for: request) : nil
        await path.store(image, file, for: request, in: tiers, begun)
    }

    /// Where the bytes of a request are looked for.
    private func defaultTiers(of request: ImageRequest) -> CacheTiers {
        path.disk != nil && request.url?.isWebURL == true ? .all : .memory
    }

    private func validate(_ request: ImageRequest, storing tiers: CacheTiers) throws(ImageLoaderError) {
        if let problem = path.problem { throw problem }
        try request.validate()
        if tiers.isEmpty { throw .unsupportedConfiguration("no cache is named to store in") }
        guard tiers.contains(.disk) else { return }
        guard path.disk != nil else { throw .unsupportedConfiguration("there is no disk cache to store in") }
        guard let url = request.url, url.isWebURL else {
            throw .unsupportedConfiguration("only what a web server would send is looked for on disk")
        }
    }

    /// Removes the image of `request` in all its sizes, from memory and disk. Images with other header fields or
    /// credentials stay; ``remove(_:)-(CacheSelection)`` removes those too.
    ///
    /// A load that began before can't store its result, also in other loaders that share the caches. Callers from now
    /// on start a new load; current callers still get the image. Other loaders on the same directory, with a disk
    /// store of their own, keep what they have in memory.
    ///
    /// Returns when the files are gone, after the writes that were decided before; cancelling doesn't shorten that. A
    /// file that can't be removed is reported as ``LoadEvent/Kind/cacheFailed(_:)``.
    public func remove(_ request: ImageRequest) async {
        await path.remove(key(for: request).resource)
    }

    /// Removes the selected images from memory and disk, as ``remove(_:)-(ImageRequest)`` does for one request. Results
    /// of all loads that began before are not stored: whether they would be selected isn't known yet. O(n) in the
    /// number of images in memory.
    public func remove(_ selection: CacheSelection) async {
        if selection == .all { await path.removeAll() } else { await path.remove(selection) }
    }

    /// Removes all images from memory and disk; see ``remove(_:)-(ImageRequest)``.
    public func removeAll() async {
        await path.removeAll()
    }

    /// Whether an image for `request` is in memory, or its bytes or a scaled image are on disk. Files are not read
    /// whole, so damage shows only when the image is loaded. Doesn't count as a use.
    ///
    /// - Parameters:
    ///   - request: what it would be loaded by.
    ///   - tiers: where to look. Default: in both.
    public func contains(_ request: ImageRequest, in tiers: CacheTiers = .all) async -> Bool {
        let key = key(for: request)
        if tiers.contains(.memory), path.memory.contains(key, largerServes: request.precision == .atLeast) {
            return true
        }
        return tiers.contains(.disk) ? await path.isOnDisk(key) : false
    }

    /// Waits until everything loaded and stored so far is written to disk, as a program should before it ends.
    ///
    /// The files have been handed to the system then. Whether they are on the device depends on
    /// ``DiskStore/Settings/synchronization``. Cancelling doesn't shorten the wait.
    public func flush() async {
        await path.flights.settle()
        await path.disk?.flush()
    }
}
