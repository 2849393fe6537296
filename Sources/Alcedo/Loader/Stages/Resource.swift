import Foundation

/// Loads the bytes of a resource in stages: local source, disk, HTTP's decision, download or confirmation, storing.
///
/// Loads of images in any size, callers that want the bytes, and prefetchers share one flight of a resource.
extension LoadPath {
    /// Identifies the disk cache in keys: loaders that share a coordinator share a flight only if they also share their
    /// disk cache.
    private var storeIdentity: ObjectIdentifier? { disk?.identity }

    func flightKey(_ request: ImageRequest, _ key: ResourceKey) -> FlightKey<ResourceKey> {
        FlightKey(key, request, in: storeIdentity)
    }

    /// Waits for the flight of a resource, and begins one if there is none.
    ///
    /// - Parameters:
    ///   - caller: The caller, which may have joined the flight already.
    ///   - confirming: The response that the caller's own image was made from.
    func body(
        _ request: ImageRequest, _ key: ResourceKey, _ caller: ResourceFlights.Caller,
        confirming: StoredResponse? = nil
    ) async throws(ImageLoaderError) -> ResourceBody {
        var (caller, confirming, isAgain) = (caller, confirming, false)
        while true {
            if Task.isCancelled { throw .cancelled }
            let outcome = await downloads.flights.outcome(of: caller) {
                downloads.join(request, flightKey(request, key), caller) {
                    resourceWork($0, $1, request, key, confirming)
                }
            }
            let body = try await remember(outcome, key)
            if body.content != nil || !caller.needs.contains(.bytes) || isAgain { return body }
            // The caller joined after the flight had found that no caller needed the bytes, or the bytes that the
            // server confirmed are gone from the disk.
            caller = ResourceFlights.Caller(caller.control, isFlight: caller.isFlight, needs: caller.needs)
            (confirming, isAgain) = (nil, true)
        }
    }

    /// Updates this loader's memory cache with the outcome of a flight. If another loader began the flight, only that
    /// loader's memory cache has been updated.
    private func remember(
        _ outcome: ResourceFlights.Outcome, _ key: ResourceKey
    ) async throws(ImageLoaderError) -> ResourceBody {
        do throws(ImageLoaderError) {
            let body = try outcome.get()
            if let download = body.download, body.loader != identity {
                await remember(download, key, body.replacesStored)
            }
            return body
        } catch {
            if error.saysGone { await memory.remove(key) }
            throw error
        }
    }

    private func remember(_ download: Download, _ key: ResourceKey, _ replacesStored: Bool) async {
        if download.isConfirmation { await memory.confirm(download.response, for: key) }
        if !download.response.mayBeStored {
            await memory.remove(key)
        } else if replacesStored, !download.isConfirmation {
            await memory.remove(key, replacedBy: download.response)
        }
    }

    /// Begins the work of a new flight. Called while the lock of the flights is held.
    func resourceWork(
        _ flight: FlightID, _ control: LoadControl, _ request: ImageRequest, _ key: ResourceKey,
        _ confirming: StoredResponse? = nil
    ) -> ResourceFlights.Work {
        let load = ResourceLoad(
            flight, request, key, control, downloads.removals.ticket(), disk?.ticket(),
            confirming: confirming)
        return downloads.work(of: flight, isCurrent: { [self] in isCurrent(load) }) {
            [self] () async throws(ImageLoaderError) in
            await finished(try await resource(load), load)
        }
    }

    // Some functions aren't inlined, so that the frames of thousands of waiting flights are small.

    /// Stores the bytes if a caller asked for that. Returns them with the work to do once the callers have them.
    @inline(never) private func finished(
        _ found: ResourceBody, _ load: ResourceLoad
    ) async -> ResourceFlights.Landing {
        // A caller that wants the bytes finds them on disk when it asks again.
        let isStored = needs(.storing, load)
        // Storing gives the file of a large body a name. It can't be mapped after that.
        let body = isStored && needs(.bytes, load) ? found.mapped() : found
        if isStored { await store(body, load) }
        guard !isStored, body.download?.isConfirmation == true, needs(.confirming, load) else { return .init(body) }
        return .init(body) { await self.confirmOnDisk(body, load) }
    }

    /// Whether callers may still join a flight, because its resource hasn't been removed since it began.
    private func isCurrent(_ load: ResourceLoad) -> Bool {
        downloads.removals.permits(load.ticket, load.key)
            && load.diskTicket.map { disk?.permits($0, load.key) == true } ?? true
    }

    private func needs(_ needs: FlightNeeds, _ load: ResourceLoad) -> Bool {
        downloads.flights.needs(needs, of: load.flight)
    }

    /// Returns the bytes from a local source or a cache, or as the server sends or confirms them.
    private func resource(_ load: ResourceLoad) async throws(ImageLoaderError) -> ResourceBody {
        if !load.request.isWeb, let body = try await localBody(load) { return body }
        var unconfirmed = load.confirming
        // With a response that the server can confirm, the disk needn't be searched first.
        if unconfirmed?.conditions == nil {
            switch try await storedBody(load) {
            case .usable(let body): return body
            case .unconfirmed(let response): unconfirmed = unconfirmed ?? response
            case .nothing: break
            }
        }
        if load.request.query.isOffline { throw .notCached }
        if Task.isCancelled { throw .cancelled }
        do throws(ImageLoaderError) {
            return try await answered(load, unconfirmed)
        } catch {
            return try await substitute(for: error, load, unconfirmed)
        }
    }

    /// Returns the bytes that the server sends, or those on disk that it confirms.
    private func answered(_ load: ResourceLoad, _ unconfirmed: StoredResponse?) async throws(ImageLoaderError)
        -> ResourceBody
    {
        do throws(ImageLoaderError) {
            return try await answer(to: load.request.confirming(unconfirmed), load, unconfirmed)
        } catch {
            guard error == .confirmsAnother, !load.request.isUnconditional else { throw error }
            // The server confirmed an unknown response.
            return try await answer(to: load.request.unconditional, load, unconfirmed)
        }
    }

    @inline(never) private func answer(
        to request: ImageRequest, _ load: ResourceLoad, _ unconfirmed: StoredResponse?
    ) async throws(ImageLoaderError) -> ResourceBody {
        let start = time.now()
        let download = try await downloads.download(
            request, for: load.flight, load.control, load.key, load.ticket, in: bodies)
        if download.isConfirmation, let body = try await confirmedBody(download, load) { return body }
        return ResourceBody(
            download, in: time.now() - start, replacesStored: load.request.replacesStored, replacing: unconfirmed,
            by: identity
        )
    }

    /// Returns the bytes on disk that the server confirmed; nil if no caller needs them or they are gone.
    @inline(never) private func confirmedBody(
        _ download: Download, _ load: ResourceLoad
    ) async throws(ImageLoaderError) -> ResourceBody? {
        await memory.confirm(download.response, for: load.key)
        guard needs(.bytes, load) else { return nil }
        return try await storedBody(load, as: download.response)?.confirmed(by: download, to: identity)
    }

    /// Returns bytes on disk in place of an error, if the server is to blame and their response permits it. Throws the
    /// error otherwise. If the server says that the resource is gone, it is removed from the caches first.
    private func substitute(
        for error: ImageLoaderError, _ load: ResourceLoad, _ unconfirmed: StoredResponse?
    ) async throws(ImageLoaderError) -> ResourceBody {
        // A slow store may have an entry that wasn't found in time.
        if error.saysGone, unconfirmed != nil || load.request.replacesStored || disk?.mayBeLate == true {
            await forget(load.key)?()
        }
        var unconfirmed = unconfirmed
        if unconfirmed == nil, error.permitsStale, disk?.mayBeLate == true {
            switch try await storedBody(load, waits: true) {
            case .usable(let body): return body
            case .unconfirmed(let response): unconfirmed = response
            case .nothing: break
            }
        }
        guard let unconfirmed, needs([.bytes, .storing], load), permits(unconfirmed, after: error, load.request),
            let body = try await storedBody(load, as: unconfirmed, .afterError)
        else { throw error }
        return body
    }

    /// Whether a stale response may be used in place of an error.
    func permits(_ stale: StoredResponse, after error: ImageLoaderError, _ request: ImageRequest) -> Bool {
        error.permitsStale && !request.isBehind
            && request.query.permits(stale.freshness, afterErrorAt: time.secondsSince1970())
    }

    // MARK: Sources that need no server

    /// Returns the bytes of a file or data URL, or what the program provides; nil for other sources.
    @inline(never) private func localBody(_ load: ResourceLoad) async throws(ImageLoaderError) -> ResourceBody? {
        // The program's closure may itself load something, so it must not occupy a place for reads.
        guard let share = await bodyBudget.admit(isRead: load.request.url != nil) else { throw .cancelled }
        let (start, stage) = (time.now(), begin(.disk, load))
        do throws(ImageLoaderError) {
            switch try await local.content(of: load.request) {
            case .bytes(let data):
                stage?.end(bytes: data.count)
                share.add(data.count)
                return ResourceBody(local: data, in: time.now() - start, share)
            case .image(let image):
                stage?.end()
                share.add(image.byteCount)
                return ResourceBody(image, in: time.now() - start, share)
            case nil:
                stage?.end()
                return nil
            }
        } catch {
            stage?.end(error: error)
            throw error
        }
    }

    // MARK: Bytes on disk

    var bodyBudget: BodyBudget { downloads.bodyBudget }

    /// Returns the answer of the disk cache to a load.
    ///
    /// - Parameter waits: Whether to wait for a slow store, because the server has failed.
    private func storedBody(
        _ load: ResourceLoad, waits: Bool = false
    ) async throws(ImageLoaderError) -> CacheAnswer<ResourceBody, StoredResponse> {
        guard load.request.query.policy.readsCaches, !load.request.isUnconditional, let disk else { return .nothing }
        if let range = RequestedRange(load.request.headers), let part = try await storedPart(range, load) {
            return .usable(part)
        }
        guard let key = await disk.key(of: load.key) else { return .nothing }
        let answer = try await entry(key, load, readsBody: needs(.bytes, load), waits: waits)
        // A caller that needs the bytes may have joined in the meantime.
        guard case .usable(let body) = answer, body.content == nil, needs(.bytes, load) else { return answer }
        return try await entry(key, load, waits: waits)
    }

    /// Returns the bytes on disk for a response that is known to be usable; nil if they are gone or of another version.
    private func storedBody(
        _ load: ResourceLoad, as response: StoredResponse, _ staleReason: StaleReason? = nil
    ) async throws(ImageLoaderError) -> ResourceBody? {
        guard let key = await disk?.key(of: load.key),
            case .usable(let body) = try await entry(
                key, load, readsBody: needs(.bytes, load),
                as: KnownResponse(response: response, staleReason: staleReason))
        else { return nil }
        return body
    }

    /// Returns a part of a fresh body on disk, for a request with a range.
    private func storedPart(_ range: RequestedRange, _ load: ResourceLoad) async throws(ImageLoaderError)
        -> ResourceBody?
    {
        var whole = load.request
        whole.headers["Range"] = nil
        guard let key = await disk?.key(of: ResourceKey(whole, in: scope)),
            case .usable(let body) = try await entry(key, load), body.staleReason != .whileRevalidating
        else { return nil }
        return body.part(range)
    }

    /// A response that is already known to be usable.
    struct KnownResponse {
        let response: StoredResponse
        let staleReason: StaleReason?
    }

    /// Returns the bytes of an entry, if they may be used.
    func entry(
        _ key: StoredKey, _ load: some RunningLoad, readsBody: Bool = true, as known: KnownResponse? = nil,
        waits: Bool = false
    ) async throws(ImageLoaderError) -> CacheAnswer<ResourceBody, StoredResponse> {
        guard let disk else { return .nothing }
        let stage = begin(.disk, load)
        let waits = waits || load.request.query.isOffline || known?.staleReason == .afterError
        // A missing entry needs no room, and its download waits according to its priority.
        if readsBody, !bodyBudget.hasRoomForRead, !(await disk.contains(key, waits: waits)) {
            stage?.end()
            return .nothing
        }
        // The program's store may be slow, so it must not occupy a place for reads.
        let share = readsBody ? await bodyBudget.admit(isRead: disk.disk != nil) : nil
        if readsBody, share == nil {
            stage?.end(error: .cancelled)
            throw .cancelled
        }
        let start = time.now()
        guard let entry = await disk.entry(for: key, readsBody: readsBody, waits: waits) else {
            stage?.end()
            return .nothing
        }
        share?.add(entry.body.count)
        let answer = answer(entry, to: load.request, known, in: time.now() - start, share)
        stage?.end(bytes: readsBody ? entry.body.count : nil, answer)
        return answer
    }

    /// Returns whether an entry may be used. The known response needs no decision.
    ///
    /// - Parameter share: Nil if the bytes weren't read.
    @inline(never) private func answer(
        _ entry: StoredEntry, to request: ImageRequest, _ known: KnownResponse?, in duration: Duration,
        _ share: BodyShare?
    ) -> CacheAnswer<ResourceBody, StoredResponse> {
        let metadata = entry.metadata.decoded
        let reason: StaleReason?
        if let known {
            guard metadata?.response?.version == known.response.version else { return .nothing }
            reason = known.staleReason
        } else {
            switch answer(of: metadata?.response, to: request) {
            case .usable(let stale): reason = stale
            case .unconfirmed(let response): return .unconfirmed(response)
            case .nothing: return .nothing
            }
        }
        return .usable(
            ResourceBody(
                stored: share == nil ? nil : entry.body, known?.response ?? metadata?.response, reason,
                metadata?.details, in: duration, share))
    }

    // MARK: Storing bytes

    /// Stores what the server has sent, or its confirmation, for callers that want the bytes. Removes the resource if
    /// the response says no-store, and reports a revalidation in the background. Loads that decode an image store it
    /// themselves.
    private func store(_ body: ResourceBody, _ load: ResourceLoad) async {
        guard let download = body.download else { return }
        if download.isConfirmation {
            await confirmOnDisk(body, load)
        } else {
            if body.replaced != nil, await isPageInPlaceOfPicture(download, load) { return }
            if download.mayBeStored { await store(download, load, replacesStored: body.replacesStored) }
        }
        if !download.response.mayBeStored { await forget(load.key)?() }
        if load.request.isBehind {
            report?(
                load.control.id, load.request.url,
                .revalidated(load.request.inFront, isChanged: !download.isConfirmation))
        }
    }

    private func confirmOnDisk(_ body: ResourceBody, _ load: ResourceLoad) async {
        guard let response = body.response, let disk, let key = await disk.key(of: load.key) else { return }
        await disk.confirm(response, for: key)
    }

    /// Stores bytes without decoding them.
    private func store(_ download: Download, _ load: ResourceLoad, replacesStored: Bool) async {
        let request = load.request
        let stage = begin(.store, load)
        defer { stage?.end(bytes: download.content.count) }
        if replacesStored { await memory.remove(load.key, replacedBy: download.response) }
        guard !request.expiresAtOnce, let disk, var ticket = load.diskTicket, let key = await disk.key(of: load.key),
            download.claimStoring()
        else { return }
        if replacesStored {
            guard let new = await disk.hide(key, begun: ticket, isReplaced: true) else { return }
            ticket = new
            await disk.removeMade(of: key)
        }
        var metadata = metadata(of: request, key.source)
        metadata.response = download.response
        await disk.store(
            download.content, metadata, for: key, timeToLive: request.timeToLive, begun: ticket)
    }

    /// Whether the disk has the image to be confirmed, but a page was sent in its place, such as a network's login
    /// page.
    private func isPageInPlaceOfPicture(_ download: Download, _ load: ResourceLoad) async -> Bool {
        if ImageFormat(sniffing: download.body) != nil { return false }
        guard let key = await disk?.key(of: load.key), let entry = await disk?.entry(for: key, waits: true) else {
            // If the disk couldn't be searched, nothing is replaced.
            return Task.isCancelled
        }
        return ImageFormat(sniffing: entry.body) != nil
    }
}
