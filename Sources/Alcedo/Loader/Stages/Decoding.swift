import Foundation

/// Decoding bytes.
extension LoadPath {
    /// Returns the image decoded from a body; nil if the body has no bytes, or damaged ones from disk.
    ///
    /// - Parameter isMade: Whether the bytes are those of an image that was stored after scaling or processing.
    func image(
        of body: ResourceBody, _ load: Load, isMade: Bool = false
    ) async throws(ImageLoaderError) -> LoadedImage? {
        guard let content = body.content else { return nil }
        guard let data = await bytes(of: content) else {
            body.share?.release()
            return nil
        }
        do throws(ImageLoaderError) {
            let variant = isMade ? ImageVariant() : load.key.variant
            var (image, timings) = try await decoded(data, body, load, as: variant)
            if let details = body.details?.reencoded {
                let wanted = load.key.variant
                image = image.restored(
                    details, mayBeEnlarged: wanted.target?.allowsUpscaling == true || wanted.processing != nil)
            }
            if body.source == .network { timings.download = body.duration } else { timings.disk = body.duration }
            return LoadedImage(
                image, from: body.source, body.response, staleReason: body.staleReason, timings: timings,
                tickets: load.tickets)
        } catch {
            try await note(error, of: body, load.request, load.key, isMade: isMade)
            return nil
        }
    }

    /// Returns the bytes of a body, after reading them if they are in a file; nil if that fails.
    func bytes(of content: Body) async -> Data? {
        if let data = content.data { return data }
        let read = await decoding.workers.run { Result { () throws(FileError) in try content.read() } }
        switch read {
        case .success(let data): return data
        case .failure(let error):
            report?(.cacheFailed(CacheFailure(.read, error)))
            return nil
        }
    }

    /// Records that bytes can't be decoded. Throws the error unless a new download may help.
    func note(
        _ error: ImageLoaderError, of body: ResourceBody, _ request: ImageRequest, _ imageKey: ImageKey,
        isMade: Bool = false
    ) async throws(ImageLoaderError) {
        // The request or its processors are to blame, not the bytes.
        switch error {
        case .unsupportedConfiguration, .processingFailed: throw error
        default: break
        }
        if let download = body.download, body.source == .network {
            // With processors, it isn't known whether the bytes are to blame, unless they aren't an image at all.
            if imageKey.variant.processing == nil || error.isOfNoImage {
                await downloads.recordFailure(error, of: request, download)
            }
            throw error
        }
        // A new download would end the same way.
        if case .limitExceeded = error { throw error }
        guard error != .cancelled, body.source == .disk, let disk,
            let original = await disk.key(of: imageKey.resource)
        else { throw error }
        let key = isMade ? original.made(as: imageKey.variant.text) : original
        if body.details?.isUndecoded == true {
            // The file was stored without being decoded, and isn't an image.
            await disk.discard(key)
        } else {
            // The file could be decoded when it was stored. A new download replaces it.
            report?(.cacheFailed(CacheFailure(operation: .read, path: key.source, reason: "\(error)")))
        }
    }

    /// Decodes a body, and runs the processors of the variant.
    private func decoded(
        _ data: Data, _ body: ResourceBody, _ load: Load, as variant: ImageVariant
    ) async throws(ImageLoaderError) -> (DecodedImage, LoadTimings) {
        var (image, timings) = try await decodedOnly(data, body, load, as: variant)
        if let chain = variant.processing {
            (image, timings.process) = try await run(chain, on: image, of: load.key, load)
        }
        return (image, timings)
    }

    private func decodedOnly(
        _ data: Data, _ body: ResourceBody, _ load: Load, as variant: ImageVariant
    ) async throws(ImageLoaderError) -> (DecodedImage, LoadTimings) {
        defer { body.share?.release() }
        if data.isEmpty, body.image == nil { throw .emptyBody }
        let start = time.now()
        let stage = begin(.decode, load)
        do throws(ImageLoaderError) {
            let image = try await decoding.decode(data, by: body.decoder, as: variant, load.control)
            stage?.end(bytes: data.count)
            let duration = time.now() - start
            return (image.withScale(load.key.variant.scale), LoadTimings(decode: duration))
        } catch {
            stage?.end(bytes: data.count, error: error)
            throw error
        }
    }
}

extension ResourceBody {
    /// The decoder for an image that the program provides; nil for bytes, which select their decoder.
    var decoder: (any ImageDecoding)? { image.map { GivenImage(image: $0) } }
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
