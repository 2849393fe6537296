/// The order in which a request and its fallbacks are tried.
extension LoadPath {
    /// Returns the image of a request, or of its first fallback that can be loaded, for a caller that has already
    /// searched memory.
    ///
    /// - Parameter cancellations: The ``cancellationCount`` when the caller's load began.
    func firstImage(
        of request: ImageRequest, _ control: LoadControl?, since cancellations: Int
    ) async throws(ImageLoaderError) -> Outcome {
        try await first(of: request, control, decodes: true) {
            (next, isFallback) async throws(ImageLoaderError) in
            if isFallback, let found = found(next) { return Outcome(.success(found.at(next.url))) }
            let outcome = await shared(next, control, since: cancellations)
            let loaded = try outcome.get()
            return isFallback ? Outcome(.success(loaded.at(next.url))) : outcome
        }
    }

    /// Returns the result of `load` for a request, or for the first of its fallbacks that can be loaded.
    ///
    /// - Parameter decodes: Whether `load` decodes, so that an earlier failure to decode counts.
    func first<Value>(
        of original: ImageRequest, _ control: LoadControl?, decodes: Bool,
        load: (ImageRequest, _ isFallback: Bool) async throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value {
        let cancellations = cancellationCount
        if let cached = try await cachedFallback(of: original, decodes: decodes, load: load) { return cached }
        var failure = ImageLoaderError.cancelled
        for (request, isFallback) in candidates(original) {
            // The caller now waits for another URL.
            if isFallback { control?.endHold() }
            // No flight had the load while it waited for another URL or its failures were looked up.
            if cancellationCount != cancellations { throw .cancelled }
            do throws(ImageLoaderError) {
                return try await load(request, isFallback)
            } catch {
                if error == .cancelled { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Returns a request, and then the requests for its fallbacks.
    private func candidates(_ original: ImageRequest) -> [(request: ImageRequest, isFallback: Bool)] {
        let fieldsOfOrigin = downloads.settings.redirects.fieldsOfOrigin
        return [(original, false)]
            + original.fallbacks.map { (original.fallingBack(to: $0, without: fieldsOfOrigin), true) }
    }

    /// Returns the first cached image of a request and its fallbacks, if all requests before it failed recently.
    ///
    /// Asking the failed URLs again would mean waiting for their retries before the cached image is shown.
    private func cachedFallback<Value>(
        of original: ImageRequest, decodes: Bool,
        load: (ImageRequest, _ isFallback: Bool) async throws(ImageLoaderError) -> Value
    ) async throws(ImageLoaderError) -> Value? {
        guard original.query(by: policies).trustsCaches, !original.asksAnew,
            await failedLately(original, decodes: decodes)
        else { return nil }
        for (request, isFallback) in candidates(original) {
            var cached = request
            cached.readPolicy = .cachedOnly
            do throws(ImageLoaderError) {
                return try await load(cached, isFallback)
            } catch {
                if error == .cancelled { throw error }
            }
            if !(await failedLately(cached, decodes: decodes)) { return nil }
        }
        return nil
    }

    private func failedLately(_ request: ImageRequest, decodes: Bool) async -> Bool {
        guard let error = await downloads.failureBeforeFallback(of: request) else { return false }
        return decodes || !error.isOfDecoding
    }
}
