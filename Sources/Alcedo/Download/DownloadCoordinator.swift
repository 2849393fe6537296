import Foundation

/// Downloads each resource once, however many ask for it, and a limited number of resources at a time.
///
/// Cancelling the calling Task resumes that caller at once; when it was the last, the transfer is cancelled.
package actor DownloadCoordinator {
    private typealias Deck = FlightDeck<ResourceKey, Download>

    private let loader: any DataLoading
    private let settings: ImageLoader.Configuration.Download
    private let time: TimeSource
    private let report: EventReport

    private var deck = Deck()
    private var slots: SlotQueue<Deck.FlightID>
    /// Flights that wait for a slot; resumed with whether they got it.
    private var inLine: [Deck.FlightID: (url: URL, continuation: CheckedContinuation<Bool, Never>)] = [:]

    package init(
        loader: any DataLoading, settings: ImageLoader.Configuration.Download = .init(),
        time: TimeSource = TimeSource(), onEvent: EventReport? = nil
    ) {
        self.loader = loader
        self.settings = settings
        self.time = time
        self.report = onEvent ?? { _ in }
        self.slots = SlotQueue(width: settings.width)
    }

    /// The response to a GET of `request`'s URL, complete.
    package func download(_ request: ImageRequest) async throws(ImageLoaderError) -> Download {
        let waiter = deck.makeWaiter()
        let key = ResourceKey(request.url)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                deck.join(key, as: waiter, continuation) { flight in
                    // Detached: the flight outlives its first caller and inherits nothing of it.
                    Task.detached { await self.fly(flight, request) }
                }
            }
        } onCancel: {
            Task { await self.leave(waiter) }
        }
        return try outcome.get()
    }

    /// Callers from now on start a new download, as what is under way was begun before a removal.
    package func retire(_ key: ResourceKey) { deck.retire(key) }
    package func retireAll() { deck.retireAll() }

    private func leave(_ waiter: Deck.WaiterID) {
        guard let flight = deck.leave(waiter), let waiting = inLine.removeValue(forKey: flight) else { return }
        // One that waits for a slot holds nothing yet and is woken to end.
        report(.downloadEnded(waiting.url, bytes: 0, error: .cancelled))
        waiting.continuation.resume(returning: false)
        giveBack(flight)
    }

    private func land(_ flight: Deck.FlightID, _ outcome: Deck.Outcome) {
        giveBack(flight)
        deck.land(flight, outcome)
    }

    // MARK: The flight, off the actor, which others need meanwhile

    /// The whole life of one download.
    private nonisolated func fly(_ flight: Deck.FlightID, _ request: ImageRequest) async {
        if await slot(for: flight, request.url) {
            await land(flight, await transfer(request))
        } else {
            await land(flight, .failure(.cancelled))
        }
    }

    private nonisolated func transfer(_ request: ImageRequest) async -> Deck.Outcome {
        let url = request.url
        report(.downloadStarted(url))
        let report = report
        let sink = ResponseSink(rules: settings.response) { event in
            switch event {
            case .response(let head): report(.downloadProgress(url, received: 0, expected: head.expectedBytes))
            case .progress(let received, let expected):
                report(.downloadProgress(url, received: received, expected: expected))
            }
        }
        do throws(ImageLoaderError) {
            let dataRequest = DataRequest(
                url: url, headers: settings.headers, idleTimeout: settings.idleTimeout,
                redirects: settings.redirects)
            try await load(dataRequest, into: sink)
            let download = try sink.finish()
            report(.downloadEnded(url, bytes: download.body.count, error: nil))
            return .success(download)
        } catch {
            report(.downloadEnded(url, bytes: sink.received, error: error))
            return .failure(error)
        }
    }

    /// Has the transport do it, within the total time if there is a limit to it.
    private nonisolated func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        guard let limit = settings.totalTimeout else { return try await loader.load(request, into: sink) }
        let first = await withTaskGroup(of: Result<Void, ImageLoaderError>.self) { [loader, time] group in
            group.addTask {
                do throws(ImageLoaderError) {
                    return .success(try await loader.load(request, into: sink))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { .failure(await time.sleep(for: limit) ? .timedOut(.total) : .cancelled) }
            let first = await group.next() ?? .failure(.cancelled)
            group.cancelAll()
            return first
        }
        try first.get()
    }

    // MARK: Slots

    private func slot(for flight: Deck.FlightID, _ url: URL) async -> Bool {
        await withCheckedContinuation { continuation in
            // Cancelled before it came here: it has no place to give back.
            if Task.isCancelled { return continuation.resume(returning: false) }
            if slots.request(flight) { return continuation.resume(returning: true) }
            inLine[flight] = (url, continuation)
            report(.downloadQueued(url))
        }
    }

    /// Gives back a flight's slot or place in line, and starts those whose turn it is.
    private func giveBack(_ flight: Deck.FlightID) {
        for next in slots.release(flight) { inLine.removeValue(forKey: next)?.continuation.resume(returning: true) }
    }
}
