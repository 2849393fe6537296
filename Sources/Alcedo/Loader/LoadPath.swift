import Synchronization

/// Loads an image in stages: memory, scaled or processed image on disk, bytes, decoding, processing, storing.
///
/// Each stage has an owner, such as the memory cache. This file defines the order of the stages for an image,
/// ``resource(_:)`` for its bytes (from disk or the network), and ``DownloadCoordinator/attempts(at:)`` for a download.
final class LoadPath: Sendable {
    let memory: MemoryCache
    let disk: StoredTier?
    let downloads: DownloadCoordinator
    let decoding: DecodeGate
    let previews: PreviewMakers
    /// Where bodies too large for memory are received.
    let bodies: BodyPlace
    let flights = ImageFlights()
    let encodings = EncodedFlights()
    /// The number of times that all loads were cancelled.
    let cancellations = Atomic(0)
    let local: LocalSources
    let time: TimeSource
    let report: EventReport?
    /// The part of every key that is derived from the settings.
    let scope: KeyScope
    /// The cache policies for requests that set none.
    let policies: CachePolicies
    let limits: CallerLimits
    let deadlines: Deadlines
    /// The number of waiting callers. Counted only if there is a limit.
    let waitingCallers = Atomic(0)
    /// The error of every load if the configuration is invalid; nil otherwise.
    let problem: ImageLoaderError?

    init(
        memory: MemoryCache, disk: StoredTier?, downloads: DownloadCoordinator, decoding: DecodeGate,
        previews: PreviewMakers, local: LocalSources, time: TimeSource, report: EventReport?, scope: KeyScope,
        policies: CachePolicies, limits: CallerLimits, problem: ImageLoaderError?
    ) {
        (self.memory, self.disk, self.downloads, self.decoding) = (memory, disk, downloads, decoding)
        (self.previews, self.local, self.time, self.report) = (previews, local, time, report)
        (self.scope, self.policies, self.limits, self.problem) = (scope, policies, limits, problem)
        deadlines = Deadlines(time)
        bodies = disk?.bodyPlace(above: downloads.settings.maximumBytesInMemory) ?? downloads.bodies
    }

    /// Returns the image from memory, or waits for the one flight that loads it.
    ///
    /// - Parameter control: The caller's control; nil if its priority never changes, its progress isn't followed, and
    ///   its events need no id.
    func image(
        for request: ImageRequest, _ control: LoadControl? = nil
    ) async throws(ImageLoaderError) -> LoadedImage {
        if let problem { throw problem }
        if let found = found(request) { return found }
        return try await missed(request, control).get()
    }

    /// Returns the outcome of the flight that all callers of the image share.
    ///
    /// - Parameter cancellations: The ``cancellationCount`` when the caller's load began, if it may have waited for
    ///   anything since.
    func shared(_ request: ImageRequest, _ control: LoadControl?, since cancellations: Int? = nil) async -> Outcome {
        if Task.isCancelled { return Outcome(.failure(.cancelled)) }
        let caller = ImageFlights.Caller(control)
        return await flights.outcome(of: caller) {
            join(request.resolved(policies), caller)
            if let cancellations, cancellations != cancellationCount { flights.leave(caller) }
        }
    }

    /// Runs the stages of an image's flight: memory, a scaled or processed image on disk, and then the bytes, or the
    /// input of the last processor. If a stage fails, returns a stale image instead where that is permitted.
    func load(_ load: Load) async throws(ImageLoaderError) -> Landing {
        var unconfirmed: UnconfirmedImage?
        switch remembered(load) {
        case .usable(let image): return Landing(image.with(load.tickets))
        case .unconfirmed(let image): unconfirmed = image
        case .nothing: break
        }
        if unconfirmed == nil, !load.joinedResource {
            switch try await storedPicture(load) {
            case .usable(let landing): return landing
            case .unconfirmed(let image): unconfirmed = image
            case .nothing: break
            }
        }
        do throws(ImageLoaderError) {
            // Without an image to confirm, only the last processor runs here. Its input comes from another flight.
            if unconfirmed == nil, let chain = load.key.variant.processing { return try await processed(load, chain) }
            let landing = try await made(load, &unconfirmed)
            if load.request.isBehind { tellRevalidated(load, landing.value) }
            return landing
        } catch {
            return try await substitute(for: error, load, unconfirmed)
        }
    }

    /// Returns the image decoded from the bytes of its resource, or the cached image if its server confirms it.
    private func made(_ load: Load, _ unconfirmed: inout UnconfirmedImage?) async throws(ImageLoaderError) -> Landing {
        let caller = caller(of: load, confirms: unconfirmed != nil)
        let body = try await body(load.request, load.key.resource, caller, confirming: unconfirmed?.response)
        unconfirmed = unconfirmed ?? body.replaced.map { UnconfirmedImage(response: $0, image: nil) }
        if let landing = try await confirmed(unconfirmed, body, load) { return landing }
        if let landing = try await decodedAndStored(body, load) { return landing }
        // The bytes are gone from the disk or damaged, or the server confirmed an image that is gone.
        let again = load.sending(load.request.unconditional)
        let whole = try await self.body(again.request, again.key.resource, again.resource)
        if let landing = try await decodedAndStored(whole, again) { return landing }
        throw .confirmsAnother
    }

    /// Decodes a body, stores the image, and starts to revalidate it if it is stale. Returns nil if the body has no
    /// bytes, or damaged ones from disk.
    private func decodedAndStored(_ body: ResourceBody, _ load: Load) async throws(ImageLoaderError) -> Landing? {
        guard let loaded = try await image(of: body, load) else { return nil }
        let landing = await store(loaded, body, load)
        if body.staleReason == .whileRevalidating { revalidateBehind(load) }
        return landing
    }
}
