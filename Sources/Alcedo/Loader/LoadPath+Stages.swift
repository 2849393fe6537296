import Foundation

/// The input and the timing of the stages.
extension LoadPath {
    /// The image from a file or from the program's bytes; nil if it comes from a server.
    @inline(never) func local(_ load: Load) async throws(ImageLoaderError) -> Landing? {
        if load.request.isWeb { return nil }
        let stage = begin(.disk, load)
        let read: (Data, Duration, BodyShare)?
        do throws(ImageLoaderError) {
            read = try await localBytes(of: load.request)
        } catch {
            stage?.end(error: error)
            throw error
        }
        stage?.end(bytes: read?.0.count)
        guard let (bytes, readTime, share) = read else { return nil }
        var (image, timings) = try await decoded(bytes, share, load, as: load.key.variant)
        timings.disk = readTime
        let loaded = LoadedImage(image, from: .local, timings: timings, tickets: load.begun)
        if load.request.writes.fillsMemory { await keepInMemory(loaded, load) }
        return Landing(loaded)
    }

    /// The bytes of a request that needs no server; nil for others.
    func localBytes(
        of request: ImageRequest
    ) async throws(ImageLoaderError) -> (Data, Duration, BodyShare)? {
        let share: BodyShare?
        switch request.source {
        case .url(let url) where url.isWeb: return nil
        case .url: share = await bodyBudget.admit()
        // The program's closure may itself load something, so it must not occupy a place for reads.
        case .provided: share = await bodyBudget.admit(isRead: false)
        }
        guard let share else { throw .cancelled }
        let (bytes, readTime) = try await timed { () async throws(ImageLoaderError) in
            try await local.bytes(of: request)
        }
        guard let bytes else { return nil }
        share.add(bytes.count)
        return (bytes, readTime, share)
    }

    /// Decodes a body, and runs the processors of the variant.
    func decoded(
        _ body: Data, _ share: BodyShare?, _ load: Load, as variant: ImageVariant
    ) async throws(ImageLoaderError) -> (DecodedImage, LoadTimings) {
        var (image, timings) = try await decodedOnly(body, share, load, as: variant)
        if let chain = variant.processing {
            (image, timings.process) = try await processed(image, by: chain, load)
        }
        return (image, timings)
    }

    private func decodedOnly(
        _ body: Data, _ share: BodyShare?, _ load: Load, as variant: ImageVariant
    ) async throws(ImageLoaderError) -> (DecodedImage, LoadTimings) {
        defer { share?.release() }
        if body.isEmpty { throw .emptyBody }
        let start = time.now()
        let stage = begin(.decode, load)
        do throws(ImageLoaderError) {
            let image = try await decoding.decode(body, as: variant, load.control)
            stage?.end(bytes: body.count)
            let duration = time.now() - start
            decoding.recordDecode(duration)
            return (image.withScale(load.key.variant.scale), LoadTimings(decode: duration))
        } catch {
            stage?.end(bytes: body.count, error: error)
            throw error
        }
    }

    @inline(never) func decoded(
        _ download: Download, _ downloadTime: Duration, _ load: Load
    ) async throws(ImageLoaderError) -> LoadedImage {
        do throws(ImageLoaderError) {
            var (image, timings) = try await decoded(
                download.body, download.share, load, as: load.key.variant)
            timings.download = downloadTime
            return LoadedImage(
                image, from: .network, download.response, timings: timings, tickets: load.begun)
        } catch {
            // With processors, it isn't known whether the bytes are to blame, unless they aren't an image at all.
            if load.key.variant.processing == nil || error.isOfNoImage {
                await downloads.recordFailure(error, of: load.request, download)
            }
            throw error
        }
    }

    /// Stores a decoded download as the response and the policies permit.
    ///
    /// - Parameter isRenewed: Whether it replaces a response that the caches may have.
    @inline(never) func stored(
        _ loaded: LoadedImage, _ download: Download, _ load: Load, isRenewed: Bool
    ) async -> Landing {
        guard load.request.writes != .nothing, load.request.isStorable else { return Landing(loaded) }
        let stage = begin(.store, load)
        defer { stage?.end(bytes: download.body.count) }
        guard download.mayBeStored, loaded.image.isComplete else { return await unstored(download, loaded, load) }
        var tickets = load.begun
        if load.request.writes.fillsMemory, load.control.keepsResult {
            await keepInMemory(loaded, load, isRenewed: isRenewed)
        } else if isRenewed {
            let removed = await memory.remove(
                load.key.resource, replacedBy: download.response, begun: tickets.memory)
            if let removed { tickets.memory = removed }
        }
        guard isRenewed else { return await keepOnDisk(download, loaded, load, isRenewed: false) }
        return await keepOnDisk(download, loaded.with(tickets), load.with(tickets), isRenewed: true)
    }

    func keepInMemory(_ loaded: LoadedImage, _ load: Load, isRenewed: Bool = false) async {
        guard load.control.keepsResult, loaded.image.isComplete else { return }
        let entry = MemoryEntry(loaded.image, tags: load.request.tags, response: loaded.response)
        await memory.store(
            entry, for: load.key, timeToLive: load.request.timeToLive, begun: load.begun.memory, isRenewed: isRenewed)
    }

    func timed<Value>(
        _ work: () async throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> (Value, Duration) {
        let start = time.now()
        let value = try await work()
        return (value, time.now() - start)
    }
}

extension ImageLoaderError {
    fileprivate var isOfNoImage: Bool { if case .notAnImage = self { true } else { false } }

    /// Whether the bytes may be complete but aren't an image that can be decoded.
    var isOfDecoding: Bool {
        switch self {
        case .notAnImage, .unsupportedFormat, .unsupportedImage, .corruptImage: true
        case .limitExceeded(let limit, _, _):
            ![.inputBytes, .requestBytes, .headerBytes, .expansion, .redirects].contains(limit)
        default: false
        }
    }
}
