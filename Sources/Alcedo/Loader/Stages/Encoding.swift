import Foundation

/// Loads files for clients in stages: disk, resource, then decoding, processing and encoding under one permit, and
/// storing on disk.
///
/// All callers that want the same file share one flight. A flight that waits for its turn holds bytes but no pixels.
extension LoadPath {
    /// Returns the file of an image.
    func encoded(_ request: ImageRequest, as encoder: any FileEncoding) async throws(ImageLoaderError) -> EncodedImage {
        try await encoded(request, as: encoder, known: nil) { $0.image }
    }

    /// Returns the file of an image, or only its head if the client has the file.
    ///
    /// - Parameter known: The tags of the files that the client has.
    func encoded(
        _ request: ImageRequest, as encoder: any FileEncoding, unless known: EntityTags?
    ) async throws(ImageLoaderError) -> ConditionalImage {
        try await encoded(request, as: encoder, known: known) { file in
            known?.contains(file.head.etag) == true ? .notModified(file.head) : file.image.map { .modified($0) }
        }
    }

    /// - Parameter answer: Returns the caller's result; nil if the caller has to ask again.
    private func encoded<Answer: ReportedResult>(
        _ request: ImageRequest, as encoder: any FileEncoding, known: EntityTags?,
        answer: @escaping @Sendable (EncodedFile) -> Answer?
    ) async throws(ImageLoaderError) -> Answer {
        let control = LoadControl(priority: request.priority, loader: identity, known: known)
        return try await reported(events(of: request, control)) { () async throws(ImageLoaderError) -> Answer in
            if let problem { throw problem }
            return try await withinLimits(of: request) { [self] () async throws(ImageLoaderError) in
                let request = request.resolved(policies)
                if request.fallbacks.isEmpty { return try await shared(request, encoder, control, answer) }
                return try await first(of: request, control, decodes: true) {
                    (next, _) async throws(ImageLoaderError) in
                    try await shared(next, encoder, control, answer)
                }
            }
        }
    }

    /// Waits for the flight of a file, and begins one if there is none.
    private func shared<Answer>(
        _ request: ImageRequest, _ encoder: any FileEncoding, _ control: LoadControl,
        _ answer: (EncodedFile) -> Answer?
    ) async throws(ImageLoaderError) -> Answer {
        try validate(request)
        let key = EncodedKey(image: FlightKey(ImageKey(request, in: scope), request), encoder: encoder.identity)
        while true {
            if Task.isCancelled { throw .cancelled }
            let caller = EncodedFlights.Caller(control)
            let file = try await encodings.outcome(of: caller) {
                let place = encodings.join(key, caller, priority: request.priority) {
                    encodingWork($0, $1, request, key, encoder)
                }
                guard let place, !place.isFirst else { return }
                control.isShared = true
                report?(control.id, request.url, .coalesced(with: place.control.id))
            }.get()
            // The caller may have joined after the flight had found that all other callers' clients have the file.
            if let answer = answer(file) { return answer }
        }
    }

    private func encodingWork(
        _ flight: FlightID, _ control: LoadControl, _ request: ImageRequest, _ key: EncodedKey,
        _ encoder: any FileEncoding
    ) -> EncodedFlights.Work {
        let tickets = Load.Tickets(memory: memory.ticket(), disk: disk?.ticket())
        let load = EncodedLoad(flight, request, key, control, tickets, encoder)
        let isCurrent = { @Sendable [memory] in memory.permits(tickets.memory, load.key.resource) }
        return encodings.work(of: flight, isCurrent: isCurrent) { [self] () async throws(ImageLoaderError) in
            try await encode(load)
        }
    }

    /// Runs the stages of a file's flight. If a stage fails, returns a stale file instead where that is permitted.
    private func encode(_ load: EncodedLoad) async throws(ImageLoaderError) -> EncodedFlights.Landing {
        var unconfirmed: StoredResponse?
        switch try await storedFile(load) {
        case .usable(let file): return .init(file)
        case .unconfirmed(let response): unconfirmed = response
        case .nothing: break
        }
        do throws(ImageLoaderError) {
            // The server need only confirm a file that is on disk.
            let needsBytes = unconfirmed == nil
            var body = try await body(
                load.request, load.key.resource, load.caller(needsBytes: needsBytes), confirming: unconfirmed)
            if let landing = try await confirmed(unconfirmed, body, load) { return landing }
            if let unconfirmed, body.content == nil, body.response?.version != unconfirmed.version {
                // The server has confirmed another version, which a different caller has.
                body = try await self.body(
                    load.request, load.key.resource, load.caller(needsBytes: needsBytes), confirming: unconfirmed)
                if let landing = try await confirmed(unconfirmed, body, load) { return landing }
            }
            if let landing = try await encoded(body, load) { return landing }
            // The bytes or the file are gone from the disk, or damaged.
            let again = load.request.unconditional
            let whole = try await self.body(again, load.key.resource, load.caller(needsBytes: true))
            if let landing = try await encoded(whole, load) { return landing }
            throw .confirmsAnother
        } catch {
            guard let unconfirmed, permits(unconfirmed, after: error, load.request),
                case .usable(let file) = try await storedFile(
                    load, as: KnownResponse(response: unconfirmed, staleReason: .afterError))
            else { throw error }
            return .init(file)
        }
    }

    /// Returns the file on disk if its server has confirmed it; nil otherwise.
    private func confirmed(
        _ unconfirmed: StoredResponse?, _ body: ResourceBody, _ load: EncodedLoad
    ) async throws(ImageLoaderError) -> EncodedFlights.Landing? {
        // If bytes have arrived, they are encoded instead. Reading the file would wait for the room that they occupy.
        guard unconfirmed != nil, body.source != .network, body.content == nil, let response = body.response,
            case .usable(let file) = try await storedFile(
                load, as: KnownResponse(response: response, staleReason: body.staleReason))
        else { return nil }
        let mayBeKept = response.mayBeStored && !response.isPrivate
        return .init(file, afterwards: mayBeKept ? nil : await forget(load.key.resource))
    }

    /// Returns the file on disk, without its bytes if all callers' clients have it.
    private func storedFile(
        _ load: EncodedLoad, as known: KnownResponse? = nil
    ) async throws(ImageLoaderError) -> CacheAnswer<EncodedFile, StoredResponse> {
        guard known != nil || load.request.query.policy.readsCaches,
            let key = await disk?.key(of: load.key.resource)?.made(as: load.fileText)
        else { return .nothing }
        let mayBeKnown = !encodings.hasCaller(of: load.flight) { $0.control?.known == nil }
        var answer = try await entry(key, load, readsBody: !mayBeKnown, as: known)
        if case .usable(let body) = answer {
            if body.staleReason == .whileRevalidating { revalidateBehind(load.request, confirming: body.response) }
            if mayBeKnown {
                if let head = head(of: body, load), !isWanted(head, load) { return .usable(EncodedFile(head: head)) }
                answer = try await entry(key, load, as: known)
            }
        }
        switch answer {
        case .usable(let body):
            defer { body.share?.release() }
            guard let data = body.content?.data else { return .nothing }
            let head = head(of: body, load) ?? head(of: body, tag: EncodedFile.tag(of: data), load)
            return .usable(EncodedFile(data: data, format: body.details?.format, head: head))
        case .unconfirmed(let response): return .unconfirmed(response)
        case .nothing: return .nothing
        }
    }

    /// Returns the file made from a body, and stores it. Nil if the body has no bytes, or damaged ones from disk.
    private func encoded(
        _ body: ResourceBody, _ load: EncodedLoad
    ) async throws(ImageLoaderError) -> EncodedFlights.Landing? {
        guard let content = body.content else { return nil }
        // A file may wait long for a processor, and the images that the processor loads need room.
        let keepsShare = load.key.variant.processing?.waits != true
        if !keepsShare { body.share?.release() }
        defer { if keepsShare { body.share?.release() } }
        if Task.isCancelled { throw .cancelled }
        if body.staleReason == .whileRevalidating { revalidateBehind(load.request, confirming: body.response) }
        if let head = head(of: body, load), !isWanted(head, load) {
            return .init(EncodedFile(head: head), afterwards: await store(nil, body, load))
        }
        guard let data = await bytes(of: content) else { return nil }
        if data.isEmpty, body.image == nil { throw .emptyBody }
        let stage = begin(.encode, load)
        let encoded: Result<DecodeGate.Encoded, ImageLoaderError>
        do throws(ImageLoaderError) {
            encoded = try await decoding.encoded(data, by: body.decoder, as: load.key, load.encoder, load.control)
        } catch {
            stage?.end(bytes: data.count, error: error)
            try await note(error, of: body, load.request, load.key)
            return nil
        }
        if case .failure(let error) = encoded { stage?.end(bytes: data.count, error: error) }
        let made = try encoded.get()
        stage?.end(bytes: data.count)
        if Task.isCancelled { throw .cancelled }
        let head = head(of: body, load) ?? head(of: body, tag: EncodedFile.tag(of: made.file), load)
        let file = EncodedFile(data: made.file, format: made.format, head: head)
        return .init(file, afterwards: await store(made, body, load))
    }

    // MARK: Tags

    /// Whether any caller's client needs the file.
    private func isWanted(_ head: EncodedImage.Head, _ load: EncodedLoad) -> Bool {
        encodings.hasCaller(of: load.flight) { $0.control?.known?.contains(head.etag) != true }
    }

    /// Returns nil if the tag can be derived only from the file's bytes: if the source has no validator, if the
    /// request's header fields or credentials may select another representation with the same validator, or if other
    /// processes have another name for a processor.
    private func head(of body: ResourceBody, _ load: EncodedLoad) -> EncodedImage.Head? {
        guard load.key.resource.selectors == scope.resource, load.isFoundAgain else { return nil }
        return body.response?.validator.map { head(of: body, tag: load.tag($0), load) }
    }

    private func head(of body: ResourceBody, tag: String, _ load: EncodedLoad) -> EncodedImage.Head {
        EncodedImage.Head(
            etag: tag, source: body.source, staleReason: body.staleReason,
            exchange: load.request.url.flatMap { url in
                body.response.map {
                    ImageResponse.Exchange(response: $0, url: url, answered: time.secondsSince1970())
                }
            })
    }

    // MARK: Storing

    /// Stores a file if the response and the policies permit it. Returns the work that remains once the callers have
    /// it.
    ///
    /// - Parameter made: Nil if all callers' clients have the file. The bytes are then stored in its place, so that the
    ///   next client doesn't cause another download.
    private func store(
        _ made: DecodeGate.Encoded?, _ body: ResourceBody, _ load: EncodedLoad
    ) async -> (@Sendable () async -> Void)? {
        let (request, resource) = (load.request, load.key.resource)
        guard body.mayBeStored else {
            // Entries of earlier responses stay if only this request says no-store.
            return body.response?.mayBeStored == false ? await forget(resource) : nil
        }
        guard request.isWeb, request.isStorable, let key = await disk?.key(of: resource) else { return nil }
        let download = body.source == .network ? body.download : nil
        let mayBeKept = request.writes.fillsDisk && !request.expiresAtOnce && body.response?.isPrivate != true
        let storesBytes = mayBeKept && (contents == .both || made == nil)
        let isFirst = (body.replacesStored || storesBytes) && download?.claimStoring() == true
        guard let disk, var ticket = load.tickets.disk else { return nil }
        if isFirst, body.replacesStored, let response = body.response {
            guard let new = await disk.hide(key, begun: ticket, isReplaced: true) else { return nil }
            ticket = new
            _ = await memory.remove(resource, replacedBy: response, begun: load.tickets.memory)
        }
        var metadata = metadata(of: request, key.source)
        metadata.response = body.response
        if isFirst, storesBytes, let download {
            await disk.store(download.content, metadata, for: key, timeToLive: request.timeToLive, begun: ticket)
        }
        metadata.original = key.text
        metadata.format = made?.format
        metadata.size = made?.size
        let file = mayBeKept && made?.isComplete == true && load.isFoundAgain ? made?.file : nil
        let storeFile = { @Sendable [metadata, ticket] in
            guard let file else { return }
            await disk.store(
                .memory(file), metadata, for: key.made(as: load.fileText), timeToLive: request.timeToLive,
                begun: ticket)
        }
        guard isFirst, body.replacesStored else {
            await storeFile()
            guard download != nil, let response = body.response else { return nil }
            return { await disk.removeMade(of: key, replacedBy: response) }
        }
        return {
            await disk.removeMade(of: key)
            await storeFile()
        }
    }
}

extension DecodeGate {
    /// The file made from an image.
    struct Encoded: Sendable {
        let file: Data
        let format: ImageFormat?
        /// The size of the image.
        let size: PixelSize
        /// Whether the image isn't damaged.
        let isComplete: Bool
    }

    /// Decodes, processes and encodes an image under one permit. Errors of the encoder are returned, not thrown.
    ///
    /// - Throws: The errors of decoding and processing.
    func encoded(
        _ data: Data, by decoder: (any ImageDecoding)?, as key: ImageKey, _ encoder: any FileEncoding,
        _ control: LoadControl
    ) async throws(ImageLoaderError) -> Result<Encoded, ImageLoaderError> {
        // The copies are the image, the encoder's copy in the layout of its format, and as much again for its work.
        try await result(
            of: data, by: decoder, from: key.resource.name, as: key.variant, control, copies: 3
        ) { image, cancellation in
            Result { () throws(ImageLoaderError) in
                let file = try encoder.file(of: image, cancellation)
                let format = (encoder as? any ImageEncoding)?.format ?? ImageFormat(sniffing: file)
                return Encoded(file: file, format: format, size: image.size, isComplete: image.isComplete)
            }
        }.get()
    }
}
