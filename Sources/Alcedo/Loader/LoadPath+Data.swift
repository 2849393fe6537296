import Foundation
import Synchronization

/// The bytes alone, by the same rules.
extension LoadPath {
    /// The bytes, of which there must be some.
    func data(for request: ImageRequest, _ control: LoadControl? = nil) async throws(ImageLoaderError) -> Data {
        let data = try await dataResponse(for: request, control).data
        if data.isEmpty { throw .emptyBody }
        return data
    }

    /// The bytes with their response, by the same path less its ends.
    ///
    /// - Parameter readsBody: Whether the bytes are needed. Otherwise, those on disk that can be used as they are
    ///   aren't read, and the response has none.
    func dataResponse(
        for request: ImageRequest, _ control: LoadControl? = nil, readsBody: Bool = true
    ) async throws(ImageLoaderError) -> DataResponse {
        guard let report else { return try await loadedData(for: request, control, readsBody) }
        let control = control ?? LoadControl(priority: request.priority, loader: identity)
        return try await dataResponse(for: request, control, readsBody, report)
    }

    @inline(__always) func loadedData(
        for request: ImageRequest, _ control: LoadControl?, _ readsBody: Bool
    ) async throws(ImageLoaderError) -> DataResponse {
        if let problem { throw problem }
        guard dataLoads.begin() else { throw .closed }
        defer { dataLoads.end() }
        let request = request.resolved(policies)
        if request.fallbacks.isEmpty { return try await ownData(for: request, control, readsBody) }
        return try await first(of: request, control, decodes: false) { (next, _) async throws(ImageLoaderError) in
            try await ownData(for: next, control, readsBody)
        }
    }

    /// The bytes of a request, whatever its fallbacks.
    private func ownData(
        for request: ImageRequest, _ control: LoadControl?, _ readsBody: Bool
    ) async throws(ImageLoaderError) -> DataResponse {
        let cancellations = cancellationCount
        try request.validate()
        if Task.isCancelled { throw .cancelled }
        if let bytes = try await localData(of: request, control) {
            return DataResponse(data: bytes, head: nil, source: .local, freshness: nil, staleReason: nil)
        }
        if let part = await storedPart(request, control) { return part }
        let load = DataLoad(
            request: request, resource: ResourceKey(request, in: scope), begun: disk?.ticket(), id: control?.id)
        let stored = await storedData(load, readsBody: readsBody)
        if case .usable(let response) = stored { return response }
        let held = stored.held
        if request.query.isOffline { throw .notCached }
        // All loads may have been cancelled during the look-up.
        if cancellationCount != cancellations { throw .cancelled }
        do throws(ImageLoaderError) {
            return try await received(try await body(of: request.confirming(held?.response), control), held, load)
        } catch .confirmsAnother {
            let again = load.sending(request.needingBody)
            return try await received(try await body(of: again.request, control), nil, again)
        } catch {
            if error.saysGone, held != nil || request.asksAnew { await forget(load.resource)?() }
            guard let held, error.permitsStale,
                request.query.permits(held.response.freshness, afterErrorAt: time.secondsSince1970())
            else { throw error }
            return held.dataResponse(for: request, staleReason: .afterError, at: time.secondsSince1970())
        }
    }

    /// A load of bytes: what all its stages know.
    private struct DataLoad: Sendable {
        let request: ImageRequest
        let resource: ResourceKey
        /// Taken when the load began; nil without a disk cache.
        let begun: DiskStore.Ticket?
        /// Named by its events; nil if nothing is reported.
        let id: LoadID?

        func sending(_ request: ImageRequest) -> DataLoad {
            DataLoad(request: request, resource: resource, begun: begun, id: id)
        }
    }

    /// Begins a stage; nil if no sink listens.
    private func begin(_ stage: LoadStage, _ load: DataLoad) -> OpenStage? {
        load.id.flatMap { open(stage, $0, load.request) }
    }

    /// The bytes of a request that needs no server; nil for others.
    private func localData(
        of request: ImageRequest, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> Data? {
        if request.isWeb { return nil }
        let stage = control.flatMap { open(.disk, $0.id, request) }
        do throws(ImageLoaderError) {
            let bytes = try await local.bytes(of: request)
            stage?.end(bytes: bytes?.count)
            return bytes
        } catch {
            stage?.end(error: error)
            throw error
        }
    }

    /// Bytes on disk, and the response that they came in.
    private struct HeldData: Sendable {
        let body: Data
        let response: StoredResponse

        /// Whether it stays although the download has another body: it is a picture, and the other one is a page that
        /// answered in its place.
        func stays(despite download: Download) -> Bool {
            !download.isConfirmation && ImageFormat(sniffing: body) != nil
                && ImageFormat(sniffing: download.body) == nil
        }

        /// - Parameters:
        ///   - newer: The response as the server has just confirmed it.
        ///   - now: In seconds since 1970.
        func dataResponse(
            for request: ImageRequest, as newer: StoredResponse? = nil, staleReason: StaleReason? = nil, at now: Int64
        ) -> DataResponse {
            let response = newer ?? response
            var headers = response.headers
            // A cache tells the age of what it answers with (RFC 9111 section 5.1).
            headers["Age"] = String(response.freshness.age(at: now))
            let head = request.url.map {
                ResponseHead(status: response.status, url: $0, headers: headers, expectedBytes: body.count)
            }
            return DataResponse(
                data: body, head: head, source: .disk, freshness: response.freshness, staleReason: staleReason)
        }
    }

    /// A part of a body on disk, for a request with a range.
    private func storedPart(_ request: ImageRequest, _ control: LoadControl?) async -> DataResponse? {
        guard let range = RequestedRange(request.headers), disk != nil else { return nil }
        var whole = request
        whole.headers["Range"] = nil
        let load = DataLoad(
            request: whole, resource: ResourceKey(whole, in: scope), begun: disk?.ticket(), id: control?.id)
        guard case .usable(let response) = await storedData(load), response.head?.status == 200 else { return nil }
        return response.part(range)
    }

    private func storedData(_ load: DataLoad, readsBody: Bool = true) async -> CacheAnswer<DataResponse, HeldData> {
        guard load.request.query.policy.readsCaches, let disk, let key = await disk.key(of: load.resource) else {
            return .nothing
        }
        let (stage, now) = (begin(.disk, load), time.secondsSince1970())
        var isRead = readsBody
        let found = await disk.entry(for: key, readsBody: readsBody) { head in
            isRead = asksServer(about: head, load, at: now)
            return isRead
        }
        guard let entry = found else {
            stage?.end()
            return .nothing
        }
        let answer = answer(to: load, from: entry, at: now)
        stage?.end(bytes: isRead ? entry.body.count : nil, answer)
        return answer
    }

    /// Whether the server is asked about an entry. Its answer may be compared with the body.
    private func asksServer(about entry: StoredEntry, _ load: DataLoad, at now: Int64) -> Bool {
        guard let response = entry.metadata?.response else { return false }
        switch load.request.query.decision(on: response.freshness, at: now) {
        case .useAndRevalidate, .revalidate: return true
        case .use, .fetch, .fail: return false
        }
    }

    private func answer(
        to load: DataLoad, from entry: StoredEntry, at now: Int64
    ) -> CacheAnswer<DataResponse, HeldData> {
        let query = load.request.query
        guard let response = entry.metadata?.response else {
            // The program stored it, and no server can confirm it.
            guard query.policy != .revalidate else { return .nothing }
            return .usable(
                DataResponse(data: entry.body, head: nil, source: .disk, freshness: nil, staleReason: nil))
        }
        let held = HeldData(body: entry.body, response: response)
        switch query.decision(on: response.freshness, at: now) {
        case .use(let reason): return .usable(held.dataResponse(for: load.request, staleReason: reason, at: now))
        case .useAndRevalidate:
            revalidateBehind(held, load)
            return .usable(held.dataResponse(for: load.request, staleReason: .whileRevalidating, at: now))
        case .revalidate: return .held(held)
        case .fetch, .fail: return .nothing
        }
    }

    /// Revalidates stale bytes in the background, once however many callers used them.
    private func revalidateBehind(_ held: HeldData, _ load: DataLoad) {
        guard !Task.isCancelled, revalidating.withLock({ $0.insert(load.resource).inserted }), dataLoads.begin()
        else { return }
        let control = LoadControl(priority: .veryLow, loader: identity)
        let load = DataLoad(request: load.request, resource: load.resource, begun: load.begun, id: control.id)
        Task.detached { [self] in
            defer { dataLoads.end() }
            do throws(ImageLoaderError) {
                defer { revalidating.withLock { _ = $0.remove(load.resource) } }
                let download = try await body(of: load.request.behind.confirming(held.response), control)
                let response = try await received(download, held, load)
                if held.stays(despite: download) { return }
                let isChanged = response.source == .network
                report?(control.id, load.request.url, .revalidated(load.request, isChanged: isChanged))
            } catch {
                // No caller waits for the bytes, and the download has reported its end.
                if error.saysGone { await forget(load.resource)?() }
            }
        }
    }

    /// Takes in a download: new bytes, which are stored, or the confirmation of those on disk.
    private func received(
        _ download: Download, _ held: HeldData?, _ load: DataLoad
    ) async throws(ImageLoaderError) -> DataResponse {
        if download.isConfirmation {
            let diskKey = await disk?.key(of: load.resource)
            await memory.confirm(download.response, for: load.resource)
            if let diskKey { await disk?.confirm(download.response, for: diskKey) }
            guard let held, held.response.version == download.response.version else {
                throw .confirmsAnother
            }
            if !download.response.mayBeStored { await forget(load.resource)?() }
            return held.dataResponse(for: load.request, as: download.response, at: time.secondsSince1970())
        }
        let response = DataResponse(
            data: download.body, head: download.head, source: .network, freshness: download.freshness,
            staleReason: nil)
        guard load.request.isStorable, load.request.writes != .nothing else { return response }
        if held?.stays(despite: download) == true { return response }
        guard download.mayBeStored else {
            if !download.response.mayBeStored { await forget(load.resource)?() }
            return response
        }
        let stage = begin(.store, load)
        defer { stage?.end(bytes: download.body.count) }
        let isRenewed = held != nil || load.request.replacesStored
        if isRenewed { await memory.remove(load.resource, replacedBy: download.response) }
        if load.request.writes.fillsDisk, let diskKey = await disk?.key(of: load.resource) {
            await store(download, load, as: diskKey, isRenewed: isRenewed)
        }
        return response
    }

    private func store(_ download: Download, _ load: DataLoad, as diskKey: DiskKey, isRenewed: Bool) async {
        guard let disk, var place = load.begun, isKept(load.request), download.claimStoring() else { return }
        if isRenewed {
            guard let new = await disk.hide(diskKey, begun: place, isReplaced: true) else { return }
            place = new
            await disk.removeMade(of: diskKey)
        }
        var metadata = metadata(of: load.request, diskKey.source)
        metadata.response = download.response
        await disk.store(
            download.body, metadata, for: diskKey, expires: disk.expiry(after: load.request.timeToLive), begun: place)
    }

    private func body(of request: ImageRequest, _ control: LoadControl?) async throws(ImageLoaderError) -> Download {
        do throws(ImageLoaderError) {
            return try await handedOut(request, control)
        } catch {
            // A remembered failure to decode doesn't matter here, because only the bytes are requested.
            guard error.isOfDecoding, !request.asksAnew else { throw error }
            return try await bodyAnew(of: request, control)
        }
    }

    @inline(never) private func bodyAnew(of request: ImageRequest, _ control: LoadControl?)
        async throws(ImageLoaderError) -> Download
    {
        var anew = request
        anew.retriesFailed = true
        return try await handedOut(anew, control)
    }

    private func handedOut(
        _ request: ImageRequest, _ control: LoadControl?
    ) async throws(ImageLoaderError) -> Download {
        // The loader may have begun to close while the disk was read. Downloads are cancelled only after that.
        if dataLoads.isClosed { throw .cancelled }
        // Without one, the caller's loader would be unknown.
        let control = control ?? LoadControl(priority: request.priority, loader: identity)
        let download = try await downloads.download(request, control)
        // The body isn't decoded here.
        download.share?.release()
        return download
    }
}

extension DataResponse {
    /// A part of the body, as a server would send it; nil if the body ends before it.
    fileprivate func part(_ range: RequestedRange) -> DataResponse? {
        guard var head, let positions = range.positions(in: data.count) else { return nil }
        head.status = 206
        head.expectedBytes = positions.count
        head.headers["Content-Length"] = String(positions.count)
        head.headers["Content-Range"] = "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(data.count)"
        let start = data.startIndex
        return DataResponse(
            data: data[start + positions.lowerBound..<start + positions.upperBound], head: head, source: source,
            freshness: freshness, staleReason: staleReason)
    }
}
