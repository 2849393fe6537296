/// Processes images. The last processor works on the image that the earlier ones make. That image is a load of its own,
/// which requests that begin with the same processors share.
extension LoadPath {
    /// Returns the image that the last processor of a chain makes from the result of the others.
    func processed(_ load: Load, _ chain: ProcessingChain) async throws(ImageLoaderError) -> Landing {
        let input = try await input(of: load, chain).get()
        let (image, processTime) = try await runLast(of: chain, on: input.image, load.key, load)
        var timings = input.timings
        timings.process = (timings.process ?? .zero) + processTime
        let loaded = LoadedImage(
            image, from: input.source, input.response, staleReason: input.staleReason, timings: timings,
            tickets: input.tickets)
        // An image that is only the input of other loads isn't stored.
        return load.control.keepsResult ? await store(loaded, load) : Landing(loaded)
    }

    /// Returns the input of the last processor, from the one flight that makes it.
    private func input(of load: Load, _ chain: ProcessingChain) async -> Outcome {
        if Task.isCancelled { return Outcome(.failure(.cancelled)) }
        let request = load.request.forInput(of: chain)
        let caller = ImageFlights.Caller(load.control, isFlight: true)
        return await flights.outcome(of: caller) {
            if let place = enter(request, caller), !place.isFirst {
                report?(load.control.id, request.url, .coalesced(with: place.control.id))
            }
            // The input's load has joined the flight of the resource itself, unless it is still searching the caches.
            downloads.leave(load.resource)
        }
    }

    /// Runs all processors on an image that replaces a cached one, and returns the result and the time taken. Other
    /// loads don't share the results.
    ///
    /// - Parameter load: Nil for an image that the program stores, for which no stage is reported.
    func run(
        _ chain: ProcessingChain, on image: DecodedImage, of key: ImageKey, _ load: Load?
    ) async throws(ImageLoaderError) -> (DecodedImage, Duration) {
        var (input, inputTime) = (image, Duration.zero)
        if let before = chain.input { (input, inputTime) = try await run(before, on: image, of: key, load) }
        let (made, time) = try await runLast(of: chain, on: input, key, load)
        return (made, inputTime + time)
    }

    private func runLast(
        of chain: ProcessingChain, on input: DecodedImage, _ key: ImageKey, _ load: Load?
    ) async throws(ImageLoaderError) -> (DecodedImage, Duration) {
        let stage = load.flatMap { begin(.process, $0) }
        do throws(ImageLoaderError) {
            let start = time.now()
            let image = try await decoding.process(input, from: key.resource.name, chain, load?.control).get()
            let duration = time.now() - start
            stage?.end()
            return (image, duration)
        } catch {
            stage?.end(error: error)
            throw error
        }
    }

    /// Stores an image that no earlier stage has stored, if the response and the policies permit it.
    private func store(_ loaded: LoadedImage, _ load: Load) async -> Landing {
        guard let tickets = loaded.tickets, loaded.staleReason == nil, load.request.isStorable,
            !load.request.headers.forbidStoring
        else { return Landing(loaded) }
        let load = load.with(tickets)
        if load.request.writes.fillsMemory { await storeInMemory(loaded, load) }
        return Landing(loaded, afterwards: storingMade(loaded, load))
    }
}
