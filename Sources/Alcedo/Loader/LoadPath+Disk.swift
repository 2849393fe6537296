import Foundation

/// The path's use of the disk: the original bytes, and images made from them.
extension LoadPath {
    /// The image from the disk cache; nil if it has none that decodes.
    @inline(never) func stored(_ load: Load) async throws(ImageLoaderError) -> Landing? {
        let key = load.key
        guard let disk, let diskKey = await disk.key(of: key.resource) else { return nil }
        if key.variant.target != nil, contents != .originals,
            let loaded = try await picture(disk, diskKey.made(as: key.variant.text), ImageVariant(), load)
        {
            return Landing(loaded)
        }
        guard let loaded = try await picture(disk, diskKey, key.variant, load) else { return nil }
        return Landing(loaded, afterwards: processed(loaded, load))
    }

    /// - Parameter variant: The variant to make from the entry's bytes.
    private func picture(
        _ disk: DiskStore, _ diskKey: DiskKey, _ variant: ImageVariant, _ load: Load
    ) async throws(ImageLoaderError) -> LoadedImage? {
        // A missing entry needs no room, and its download waits by priority.
        if !undecoded.hasRoomForRead, !(await disk.contains(diskKey)) { return nil }
        guard let share = await undecoded.admit() else { throw .cancelled }
        let start = time.now()
        guard let entry = await disk.entry(for: diskKey) else {
            share.release()
            return nil
        }
        share.add(entry.body.count)
        let readTime = time.now() - start
        do throws(ImageLoaderError) {
            var (image, decodeTime) = try await decoded(entry.body, share, load, as: variant)
            let metadata = entry.metadata
            if let metadata { image = image.restored(from: metadata, as: load.key.variant) }
            let loaded = LoadedImage(
                image, from: .disk, freshness: metadata?.freshness,
                timings: LoadTimings(disk: readTime, decode: decodeTime))
            await keepInMemory(loaded, load)
            return loaded
        } catch {
            switch error {
            // A download would end the same way.
            case .cancelled, .limitExceeded: throw error
            // It decoded when it was stored. The download replaces it.
            default:
                report?(
                    LoadEvent(
                        kind: .cacheFailed(CacheFailure(operation: .read, path: diskKey.source, reason: "\(error)"))))
            }
            return nil
        }
    }

    /// Stores a decoded download as configured.
    func keepOnDisk(
        _ download: Download, _ loaded: LoadedImage, _ load: Load
    ) async -> Landing {
        let request = load.request
        guard let disk, let ticket = load.begun.disk, isKept(request) else { return Landing(loaded) }
        let afterwards = processed(loaded, load)
        // Where nothing is made of the bytes, they are what a later load starts from.
        if contents != .processed || afterwards == nil, let diskKey = await disk.key(of: load.key.resource) {
            var metadata = metadata(of: request, diskKey.source)
            metadata.headers = download.head.headers.ofFreshness
            metadata.freshness = download.freshness
            metadata.format = loaded.image.format
            metadata.size = loaded.image.originalSize
            await disk.store(
                download.body, metadata, for: diskKey, expires: disk.expiry(after: request.timeToLive), begun: ticket)
        }
        return Landing(loaded, afterwards: afterwards)
    }

    /// Whether its time is not over before it begins.
    func isKept(_ request: ImageRequest) -> Bool { request.timeToLive.map { $0 > .zero } ?? true }

    /// Returns the work that stores an image made from the bytes, to be done once the callers have theirs; nil if it
    /// isn't stored.
    private func processed(
        _ loaded: LoadedImage, _ load: Load
    ) -> (@Sendable () async -> Void)? {
        let (request, key) = (load.request, load.key)
        let image = loaded.image
        // An animation is made from its bytes each time, because a still image would lose its frames.
        guard let disk, let ticket = load.begun.disk, key.variant.target != nil, image.animation == nil,
            request.cachePolicy.fillsCaches, isKept(request), contents.includes(image), losslessEncoder != nil
        else { return nil }
        return { [self] in
            guard let original = await disk.key(of: key.resource) else { return }
            let diskKey = original.made(as: key.variant.text)
            var metadata = metadata(of: request, diskKey.source)
            metadata.original = original.text
            metadata.freshness = loaded.freshness
            do throws(ImageLoaderError) {
                let file = try await decoding.file(of: image)
                metadata.describe(image, in: file)
                await disk.store(
                    file.bytes, metadata, for: diskKey, expires: disk.expiry(after: request.timeToLive), begun: ticket)
            } catch {
                report?(
                    LoadEvent(
                        kind: .cacheFailed(CacheFailure(operation: .write, path: diskKey.source, reason: "\(error)"))))
            }
        }
    }

    /// A file for the disk, made from the program's image.
    func file(of image: DecodedImage, for request: ImageRequest) async throws(ImageLoaderError) -> File {
        let file = try await decoding.file(of: image)
        var metadata = metadata(of: request, ResourceKey(request, in: scope).splitUserInfo.text)
        metadata.describe(image, in: file)
        return File(bytes: file.bytes, metadata: metadata)
    }

    func metadata(of request: ImageRequest, _ source: String) -> EntryMetadata {
        var metadata = EntryMetadata(source: source)
        metadata.tags = request.tags
        metadata.storedAt = time.secondsSince1970()
        return metadata
    }

    /// Whether the disk has bytes that the image of `key` can be made from.
    func isOnDisk(_ key: ImageKey) async -> Bool {
        guard let disk, let diskKey = await disk.key(of: key.resource) else { return false }
        if await disk.contains(diskKey) { return true }
        return key.variant.target == nil ? false : await disk.contains(diskKey.made(as: key.variant.text))
    }
}

extension EntryMetadata {
    /// Records the properties of an image that its file doesn't contain.
    fileprivate mutating func describe(_ image: DecodedImage, in file: PictureFile) {
        format = ImageFormat(sniffing: file.bytes)
        size = image.size
        originalFormat = image.format
        originalSize = image.originalSize
        isOpaque = image.isOpaque
        profile = file.profile
    }
}

extension DecodedImage {
    /// The image as it was when it was stored, as far as its entry says. The entry of original bytes says nothing, and
    /// that of an earlier version not everything.
    fileprivate func restored(from metadata: EntryMetadata, as variant: ImageVariant) -> DecodedImage {
        guard metadata.original != nil || metadata.originalSize != nil else { return self }
        var original = originalSize
        // The metadata may be wrong. A loaded image is no larger than its original unless it was scaled up.
        let mayBeSmaller = metadata.original == nil || variant.target?.allowsUpscaling == true
        let least = mayBeSmaller ? PixelSize(width: 1, height: 1) : size
        if let told = metadata.originalSize, told.width >= least.width, told.height >= least.height { original = told }
        return DecodedImage(
            bitmap: bitmap, format: metadata.originalFormat ?? format, originalSize: original,
            isOpaque: isOpaque || metadata.isOpaque, profile: profile ?? metadata.profile, animation: animation)
    }
}

extension HTTPHeaders {
    /// The fields that determine freshness, validation and who may use a response (RFC 9111).
    private static let freshnessFields: Set = [
        "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "pragma", "vary",
    ]

    fileprivate var ofFreshness: HTTPHeaders {
        HTTPHeaders(filter { Self.freshnessFields.contains($0.name.lowercased()) })
    }
}
