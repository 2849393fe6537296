import Foundation

/// Loads bytes: the path of an image without the memory cache and decoding.
extension LoadPath {
    /// Returns the bytes. Throws if there are none.
    func data(for request: ImageRequest, _ control: LoadControl? = nil) async throws(ImageLoaderError) -> Data {
        let data = try await dataResponse(for: request, control).data
        if data.isEmpty { throw .emptyBody }
        return data
    }

    /// Returns the bytes with their response.
    ///
    /// - Parameter readsBody: Whether the bytes are needed. If not, usable bytes on disk aren't read, and the response
    ///   has no bytes.
    func dataResponse(
        for request: ImageRequest, _ control: LoadControl? = nil, readsBody: Bool = true
    ) async throws(ImageLoaderError) -> DataResponse {
        let control = control ?? LoadControl(priority: request.priority, loader: identity)
        return try await reported(events(of: request, control)) { () async throws(ImageLoaderError) in
            if let problem { throw problem }
            return try await withinLimits(of: request) { [self] () async throws(ImageLoaderError) in
                try await firstResponse(to: request.resolved(policies), control, readsBody)
            }
        }
    }

    private func firstResponse(
        to request: ImageRequest, _ control: LoadControl, _ readsBody: Bool
    ) async throws(ImageLoaderError) -> DataResponse {
        if request.fallbacks.isEmpty { return try await response(to: request, control, readsBody) }
        return try await first(of: request, control, decodes: false) { (next, _) async throws(ImageLoaderError) in
            try await response(to: next, control, readsBody)
        }
    }

    /// Returns the response to a request. Ignores its fallbacks.
    private func response(
        to request: ImageRequest, _ control: LoadControl, _ readsBody: Bool
    ) async throws(ImageLoaderError) -> DataResponse {
        try request.validate()
        if case .provided(let source) = request.source, source.isImage {
            throw .unsupportedConfiguration("the bytes of the \(request)")
        }
        var body = try await body(for: request, control, readsBody)
        var data = await bytes(of: body)
        if data == nil {
            // The bytes can no longer be read.
            body = try await handedOut(request.unconditional.retryingFailed, control, readsBody)
            data = await bytes(of: body)
        }
        if body.staleReason == .whileRevalidating { revalidateBehind(request, confirming: body.response) }
        guard let data else {
            throw .fileUnreadable(path: request.url?.absoluteString ?? "", reason: "the bytes that were received")
        }
        return DataResponse(data, of: body, for: request, at: time.secondsSince1970())
    }

    /// Returns the bytes of a body, which are empty if the body has none; nil if they can't be read.
    private func bytes(of body: ResourceBody) async -> Data? {
        if let content = body.content { await bytes(of: content) } else { Data() }
    }

    private func body(
        for request: ImageRequest, _ control: LoadControl, _ readsBody: Bool
    ) async throws(ImageLoaderError) -> ResourceBody {
        let body: ResourceBody
        do throws(ImageLoaderError) {
            body = try await handedOut(request, control, readsBody)
        } catch {
            // A remembered failure to decode doesn't matter here, because only the bytes are requested.
            guard error.isOfDecoding, !request.asksAnew else { throw error }
            body = try await handedOut(request.retryingFailed, control, readsBody)
        }
        if !readsBody || body.content != nil { return body }
        // The bytes are gone from the disk.
        return try await handedOut(request.unconditional.retryingFailed, control, readsBody)
    }

    private func handedOut(
        _ request: ImageRequest, _ control: LoadControl, _ readsBody: Bool
    ) async throws(ImageLoaderError) -> ResourceBody {
        let caller = ResourceFlights.Caller(control, needs: request.needsOfBytes.union(readsBody ? .bytes : []))
        let body = try await body(request, ResourceKey(request, in: scope), caller)
        // The bytes aren't decoded, so they no longer count as waiting.
        body.share?.release()
        return body
    }

    /// Revalidates stale bytes, or files made from them, in the background: once, however many callers used them.
    /// Releasing the loader cancels the revalidation.
    func revalidateBehind(_ request: ImageRequest, confirming response: StoredResponse?) {
        if Task.isCancelled { return }
        let (request, key) = (request.behind, ResourceKey(request, in: scope))
        let control = LoadControl(priority: .veryLow, loader: identity)
        let caller = ResourceFlights.Caller(control, needs: request.needsOfBytes.union(.revalidating))
        _ = downloads.flights.join(flightKey(request, key), caller, priority: request.priority) {
            resourceWork($0, $1, request, key, response)
        }
        caller.promise.whenEnded { outcome in
            if case .success(let body) = outcome.result { body.share?.release() }
        }
    }
}

extension ImageRequest {
    /// The demands of a caller that wants the bytes, besides the bytes themselves.
    fileprivate var needsOfBytes: FlightNeeds { isStorable && writes.fillsDisk ? [.storing, .confirming] : [] }
}

extension DataResponse {
    /// - Parameter now: In seconds since 1970.
    fileprivate init(_ data: Data, of body: ResourceBody, for request: ImageRequest, at now: Int64) {
        var head = body.source == .network ? body.download?.head : nil
        if body.source == .disk, let response = body.response, let url = request.url {
            head = response.head(at: url, cachedAt: now)
            head?.expectedBytes = data.count
        }
        self.init(
            data: data, head: head, source: body.source, freshness: body.response?.freshness,
            staleReason: body.staleReason)
    }
}
