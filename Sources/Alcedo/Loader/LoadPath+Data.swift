import Foundation

/// The bytes alone.
extension LoadPath {
    /// The bytes alone, by the same path less its ends.
    func data(
        for request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> Data {
        if let problem { throw problem }
        if request.fallbacks.isEmpty { return try await ownData(for: request, control) }
        return try await first(of: request, control, decodes: false) { (next, _) async throws(ImageLoaderError) in
            try await ownData(for: next, control)
        }
    }

    /// The bytes of a request, whatever its fallbacks.
    private func ownData(
        for request: ImageRequest, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> Data {
        try request.validate()
        if Task.isCancelled { throw .cancelled }
        if let bytes = try await local.bytes(of: request) { return bytes }
        if request.cachePolicy.readsCaches, let disk,
            let key = await disk.key(of: ResourceKey(request, in: scope)),
            let stored = await disk.entry(for: key)
        {
            return stored.body
        }
        if request.cachePolicy == .cachesOnly { throw .notCached }
        return try await body(of: request, control)
    }

    private func body(of request: ImageRequest, _ control: LoadControl?) async throws(ImageLoaderError) -> Data {
        do throws(ImageLoaderError) {
            return try await handedOut(request, control)
        } catch {
            // A remembered failure to decode doesn't matter here, because only the bytes are requested.
            guard error.isOfDecoding, !request.asksAnew else { throw error }
            return try await bodyAnew(of: request, control)
        }
    }

    @inline(never) private func bodyAnew(of request: ImageRequest, _ control: LoadControl?)
        async throws(ImageLoaderError) -> Data
    {
        var anew = request
        anew.retriesFailed = true
        return try await handedOut(anew, control)
    }

    private func handedOut(_ request: ImageRequest, _ control: LoadControl?) async throws(ImageLoaderError) -> Data {
        // Without one, the caller's loader would be unknown.
        let control = control ?? LoadControl(priority: request.priority, loader: identity)
        let download = try await downloads.download(request, control)
        // It isn't decoded here.
        download.undecoded?.release()
        return download.body
    }
}
