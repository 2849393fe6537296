/// The slots of downloads.
extension DownloadCoordinator {
    /// Performs `work` in a slot of the download's host, which is released afterwards. Returns nil if the Task is
    /// cancelled first.
    func withSlot<Value>(for download: DownloadState, _ work: () async -> Value) async -> Value? {
        download.ending = nil
        defer { giveBackSlot(of: download) }
        return await hasSlot(for: download) ? await work() : nil
    }

    // Not inlined, so that thousands of downloads that wait for their slots have small frames.
    @inline(never) private func giveBackSlot(of download: DownloadState) {
        let (flight, yields) = (download.flight, download.ending == .yields)
        rates.end(flight)
        if ending == flight { ending = nil }
        advance { yields ? $0.yield(flight, now: $1) : $0.release(flight, now: $1) }
    }

    /// Waits for a slot. Returns false if the Task is cancelled first.
    ///
    /// - Parameter newHost: The host to which a running download was redirected. Nil for a download without a slot.
    func hasSlot(for download: DownloadState, movedTo newHost: String? = nil) async -> Bool {
        if Task.isCancelled { return false }
        let slot = request(for: download, movedTo: newHost)
        return await slot.value { slot.end(false) } && !Task.isCancelled
    }

    @inline(never) private func request(for download: DownloadState, movedTo newHost: String?) -> Promise<Bool> {
        let (flight, slot) = (download.flight, Promise<Bool>())
        download.slot = slot
        if let newHost {
            download.movedHost = newHost
            advance { $0.move(flight, toHost: newHost, now: $1) }
            if download.slot != nil { rates.end(flight) }
        } else {
            let (host, control) = (download.currentHost, download.control)
            advance {
                download.queuedAt = download.queuedAt ?? $1
                return $0.request(flight, host: host, load: control.id.number, priority: control.priority, now: $1)
            }
        }
        if download.slot != nil, !download.isReportedAsQueued, newHost == nil {
            download.isReportedAsQueued = true
            report(download, .began(.queued))
        }
        return slot
    }

    /// Changes the queue, and starts the downloads that may start as a result.
    func advance(_ change: (inout DownloadQueue<FlightID>, Duration) -> [FlightID]) {
        let now = time.now()
        start(queue.setRoom(from: bodyBudget.hasRoom ? .veryLow : nil, now: now), now)
        start(change(&queue, now), now)
        if !queue.hasRoom { awaitRoom(now) }
        rates.setWaiting(queue.isShort, now: now)
        setAlarms()
    }

    func startWaiting() { advance { $0.startWaiting(now: $1) } }

    /// Starts downloads that got a slot. A cancelled download passes its slot on immediately.
    private func start(_ flights: [FlightID], _ now: Duration) {
        var flights = flights[...]
        while let flight = flights.popFirst() {
            guard let download = downloads[flight], let slot = download.slot.take() else { continue }
            guard slot.end(true) else {
                flights += queue.release(flight, now: now)
                continue
            }
            // The progress of a request's body isn't known here, so such requests are exempt.
            if !download.hasBody { rates.begin(flight, now: now) }
            endWait(of: download, at: now)
        }
    }

    /// Starts downloads that are more urgent than those whose bytes take up the room, or waits for room.
    private func awaitRoom(_ now: Duration) {
        while let priority = queue.priorityWithoutRoom {
            let mayStart = bodyBudget.mayStart(priority, of: ObjectIdentifier(self)) { [weak self] in
                Task { await self?.startWaiting() }
            }
            guard mayStart else { return }
            start(queue.setRoom(from: priority, now: now), now)
        }
        bodyBudget.stopWaiting(ObjectIdentifier(self))
    }
}
