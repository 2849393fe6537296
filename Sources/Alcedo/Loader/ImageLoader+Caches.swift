public import Foundation

// Storing in both caches, removing from them, and searching them.

extension ImageLoader {
    /// Stores an image made by the program, as if it had been loaded for `request`.
    ///
    /// Replaces everything that the caches hold for its source. Loads that this loader began earlier can't undo that. A
    /// removal during the call takes precedence.
    ///
    /// An image is read back from disk unchanged: its pixels, opacity, color profile and original size, and the
    /// animation with all its frames and delays.
    ///
    /// - Parameters:
    ///   - image: The image as the request's processors would make it. Its pixels are shared, not copied. Its scale
    ///     becomes that of the request.
    ///   - request: The request under which the image is found.
    ///   - tiers: The caches to store it in. On disk, an animation that was neither scaled nor converted is stored as
    ///     the file that it was decoded from. Anything else is stored as PNG, which takes about 50 ms per megapixel and
    ///     frame on other threads.
    /// - Throws: Before anything changes: ``ImageLoaderError/unsupportedConfiguration(_:)`` for an image that isn't
    ///   complete (``DecodedImage/isComplete``), and if the disk is selected and can't hold the image (without a disk
    ///   cache or PNG, with a ``ImageRequest/targetSize``, a region or processors, or for local files and bytes
    ///   provided by the program, which are never looked up there); ``ImageLoaderError/encodingFailed(_:reason:)`` for
    ///   an image that PNG would change, because color values exceed their pixel's alpha or a delay isn't a fraction of
    ///   16-bit numbers; the error that decoding it again would throw; and the errors of an invalid request.
    public func store(
        _ image: DecodedImage, for request: ImageRequest, in tiers: CacheTiers = .memory
    ) async throws(ImageLoaderError) {
        try validate(request, storing: tiers, image)
        if tiers.contains(.disk), key(for: request).variant.isMade {
            throw .unsupportedConfiguration("a scaled or processed image can't be stored on disk as the original")
        }
        // Nothing is made, so memory takes its ticket with the store.
        guard path.disk != nil else { return await path.store(image, nil, for: request, in: tiers, nil) }
        let tickets = await path.ticketsToStore(key(for: request).resource)
        let file = tiers.contains(.disk) ? try await path.file(of: image, for: request) : nil
        await path.store(image, file, for: request, in: tiers, tickets)
    }

    /// Stores bytes as if they had been downloaded for `request`; see
    /// ``store(_:for:in:)-(DecodedImage,ImageRequest,_)``.
    ///
    /// The bytes are decoded first, so that nothing is stored that can't be shown. For memory, the processors of the
    /// loader and the request run as well.
    ///
    /// - Parameters:
    ///   - data: A file's bytes, in a format that can be decoded.
    ///   - request: The request under which the image is found.
    ///   - tiers: The caches to store in. With nil, the default, all caches that are searched for the request.
    /// - Throws: Before anything changes, the errors of decoding, of processors and of an invalid request, and
    ///   ``ImageLoaderError/unsupportedConfiguration(_:)`` if the disk is selected and can't hold them.
    public func store(
        _ data: Data, for request: ImageRequest, in tiers: CacheTiers? = nil
    ) async throws(ImageLoaderError) {
        let tiers = tiers ?? defaultTiers(of: request)
        try validate(request, storing: tiers)
        if data.isEmpty { throw .emptyBody }
        let key = key(for: request)
        let tickets = await path.ticketsToStore(key.resource)
        var image = try await path.decoding.decode(data, as: key.variant)
        try validate(request, storing: tiers, image)
        let file = tiers.contains(.disk) ? path.file(data, image.originalSize, for: request) : nil
        if tiers.contains(.memory), let chain = key.variant.processing {
            image = try await path.run(chain, on: image, of: key, nil).0
        }
        await path.store(image, file, for: request, in: tiers, tickets)
    }

    /// Stores an image in memory, and the file that it was decoded from on disk. See
    /// ``store(_:for:in:)-(DecodedImage,ImageRequest,_)``.
    ///
    /// Nothing is decoded, and only the header of the file is read. The caller must make sure that the file contains
    /// the image.
    ///
    /// - Parameters:
    ///   - image: The image as `request` describes it, possibly scaled. Its pixels are shared.
    ///   - data: A file's bytes, in a format that can be decoded.
    ///   - request: The request under which the image is found.
    ///   - tiers: The caches to store in. With nil, the default, all caches that are searched for the request.
    /// - Throws: Before anything changes, ``ImageLoaderError/emptyBody``, the errors of an invalid header or request,
    ///   and ``ImageLoaderError/unsupportedConfiguration(_:)`` if the disk is selected and can't hold them.
    public func store(
        _ image: DecodedImage, data: Data, for request: ImageRequest, in tiers: CacheTiers? = nil
    ) async throws(ImageLoaderError) {
        let tiers = tiers ?? defaultTiers(of: request)
        try validate(request, storing: tiers, image)
        if data.isEmpty { throw .emptyBody }
        let tickets = await path.ticketsToStore(key(for: request).resource)
        let size = try await path.decoding.header(of: data).uprightSize
        let file = tiers.contains(.disk) ? path.file(data, size, for: request) : nil
        await path.store(image, file, for: request, in: tiers, tickets)
    }

    /// The caches that are searched for the bytes of a request.
    private func defaultTiers(of request: ImageRequest) -> CacheTiers {
        path.disk != nil && request.isWeb ? .all : .memory
    }

    private func validate(
        _ request: ImageRequest, storing tiers: CacheTiers, _ image: DecodedImage? = nil
    ) throws(ImageLoaderError) {
        if let problem = path.problem { throw problem }
        if path.flights.isClosed { throw .closed }
        try request.validate()
        try request.processing?.validate(within: path.decoding.limits)
        if image?.isComplete == false { throw .unsupportedConfiguration("an incomplete image can't be stored") }
        if tiers.isEmpty { throw .unsupportedConfiguration("no cache is named to store in") }
        guard tiers.contains(.disk) else { return }
        guard path.disk != nil else { throw .unsupportedConfiguration("there is no disk cache to store in") }
        guard request.isWeb else {
            throw .unsupportedConfiguration("only what a web server would send is looked for on disk")
        }
    }

    /// Removes the image of `request` in all its sizes from memory and disk.
    ///
    /// Images loaded with other header fields or credentials remain; ``remove(_:)-(CacheSelection)`` removes those too.
    ///
    /// A load that began earlier can't store its result, in this loader or in others that share the caches. Later
    /// callers start a new load; current callers still get the image. Other loaders that use the same directory with
    /// their own disk store keep what they have in memory.
    ///
    /// Returns when earlier writes have ended and the files have been deleted. Cancelling doesn't shorten the wait. A
    /// file that can't be deleted is reported as ``LoadEvent/Kind/cacheFailed(_:)``.
    public func remove(_ request: ImageRequest) async {
        await path.remove(key(for: request).resource)
    }

    /// Removes the selected images from memory and disk, as ``remove(_:)-(ImageRequest)`` does for one request.
    ///
    /// No load that began earlier stores its result, because it isn't known yet whether that would be selected. O(n) in
    /// the number of images in memory.
    ///
    /// - Throws: The error of a store of the program's own, such as ``ImageLoaderError/unsupportedSelection(_:)`` for a
    ///   prefix if it can't list its entries. The images have been removed from memory. With a ``diskCache`` or without
    ///   a store, nothing is thrown.
    public func remove(_ selection: CacheSelection) async throws(ImageLoaderError) {
        if let error = await path.remove(selection) { throw error }
    }

    /// Removes all images from memory and disk; see ``remove(_:)-(ImageRequest)``.
    public func removeAll() async {
        await path.removeAll()
    }

    /// Returns whether an image for `request` is in memory, or its bytes or a scaled image are on disk.
    ///
    /// Files aren't read completely, so damage is only found when the image is loaded. Doesn't count as a use.
    ///
    /// - Parameters:
    ///   - request: The request that would load the image.
    ///   - tiers: The caches to search. Default: both.
    public func contains(_ request: ImageRequest, in tiers: CacheTiers = .all) async -> Bool {
        let key = key(for: request)
        if tiers.contains(.memory), path.memory.isThere(key, request.precision == .atLeast, acceptsStale) {
            return true
        }
        return tiers.contains(.disk) ? await path.isOnDisk(key) : false
    }

    /// Waits until everything loaded and stored so far is written to disk. Call this before the program ends.
    ///
    /// On return, the files have been handed to the operating system. Whether they have reached the device depends on
    /// ``DiskStore/Settings/synchronization``. Cancelling doesn't shorten the wait.
    public func flush() async {
        await path.flights.ended { flight, _ in flight.hasLanded }
        await path.encodings.ended { flight, _ in flight.hasLanded }
        await path.downloads.flights.ended { flight, _ in
            flight.hasLanded && flight.control.loader == path.identity
        }
        await path.disk?.flush()
    }
}
