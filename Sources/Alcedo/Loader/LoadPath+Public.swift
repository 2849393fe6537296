/// Responses that are `public`, which requests share whatever their authorization (RFC 9111 section 3.5). They are
/// stored under a key without it, where a request looks after its own.
extension LoadPath {
    /// Whether a request has an authorization, of its own or its loader's.
    @inline(__always)
    func mayShare(_ request: ImageRequest) -> Bool { publicScope != nil || !request.isPlainGET }

    /// The key of public responses to a request with an authorization; nil for one without.
    private func publicKey(of request: ImageRequest) -> ImageKey? {
        guard mayShare(request) else { return nil }
        guard publicScope != nil || request.credentials != nil || request.headers["Authorization"] != nil else {
            return nil
        }
        var request = request
        request.credentials = nil
        request.headers["Authorization"] = nil
        return ImageKey(request, in: publicScope ?? scope)
    }

    /// The key of public responses, if memory has one to this request.
    @inline(never) func publicKeyInMemory(of request: ImageRequest) -> ImageKey? {
        guard let key = publicKey(of: request), memory.hasPublicResponse(key.resource) else { return nil }
        return key
    }

    /// A public image in memory, for a request that has found nothing under its own key.
    @inline(never) func publicImage(
        for request: ImageRequest, keepsReleased: Bool = false, acceptsStale: Bool
    ) -> MemoryCache.Found? {
        publicKeyInMemory(of: request).flatMap {
            memory.find(
                $0, largerServes: request.precision == .atLeast, keepsReleased: keepsReleased,
                acceptsStale: acceptsStale)
        }
    }

    /// The key under which memory has what answers a request, or else its own.
    func keyInMemory(of request: ImageRequest) -> ImageKey {
        let key = ImageKey(request, in: scope)
        guard mayShare(request), memory.entry(key) == nil else { return key }
        return publicKeyInMemory(of: request) ?? key
    }

    /// The key of public responses, if the disk has one to this request.
    func publicKeyOnDisk(of request: ImageRequest) async -> ImageKey? {
        guard let disk, request.query.policy.readsCaches, let key = publicKey(of: request),
            let diskKey = await disk.key(of: key.resource), await disk.hasPublicResponse(diskKey)
        else { return nil }
        return key
    }

    /// The load of the public response that the disk has, for one that has found nothing under its own key.
    @inline(never) func publicLoad(_ load: Load) async -> Load? {
        guard mayShare(load.request), let key = await publicKeyOnDisk(of: load.request), key != load.key else {
            return nil
        }
        return load.under(key)
    }

    /// The key that the response to a request is stored under.
    func key(of request: ImageRequest, as response: StoredResponse) -> ImageKey {
        let shared = response.isPublic ? publicKey(of: request) : nil
        return shared ?? ImageKey(request, in: scope)
    }

    /// The load under the key that its new response is stored under. What it replaces under another one is removed.
    func placed(_ load: Load, as response: StoredResponse, isRenewed: Bool) async -> Load {
        let key = key(of: load.request, as: response)
        guard key != load.key else { return load }
        let disk = isRenewed ? await clear(load.key.resource, begun: load.begun.disk) : load.begun.disk
        let begun = Load.Tickets(memory: load.begun.memory, disk: disk)
        return Load(load.flight, load.request, key, load.control, begun: begun)
    }

    /// Removes what is replaced by a response that is stored under another key of the same URL. Returns the ticket for
    /// storing that, because a removal refuses earlier tickets of the URL.
    func clear(_ resource: ResourceKey, begun ticket: DiskStore.Ticket?) async -> DiskStore.Ticket? {
        var place = ticket
        // First, because what is found there could be stored in memory again.
        if let disk, let diskKey = await disk.key(of: resource) {
            place = await disk.hide(diskKey, begun: ticket) ?? ticket
            await disk.removeMade(of: diskKey)
        }
        await memory.remove(resource)
        return place
    }

    /// The keys that what answers a request may be stored under.
    func keys(of request: ImageRequest) -> [ImageKey] {
        [ImageKey(request, in: scope)] + [publicKey(of: request)].compactMap { $0 }
    }
}
