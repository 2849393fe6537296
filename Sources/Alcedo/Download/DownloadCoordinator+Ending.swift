/// Transfers that are ended because others wait.
extension DownloadCoordinator {
    func setAlarms() {
        if let due = queue.nextStart {
            alarm.set(for: due, time) { [weak self] in await self?.startsAreDue() }
        }
        // Nothing is due while no download waits for a slot.
        let checks = [rates.isWaiting ? rates.nextCheck : nil, queue.nextYield].compactMap(\.self)
        guard ending == nil, let due = checks.min() else { return endingAlarm.cancel() }
        endingAlarm.set(for: due, time) { [weak self] in await self?.endTransfer() }
    }

    private func startsAreDue() {
        alarm.rang()
        startWaiting()
    }

    /// Ends a transfer that is too slow while a download waits for its slot, or one that has to yield.
    private func endTransfer() {
        guard !Task.isCancelled else { return }
        endingAlarm.rang()
        let (now, date) = (time.now(), time.secondsSince1970())
        if let id = rates.check(now: now, bytes: { flights[$0]?.sink?.receivedHere ?? 0 }, holdsUp: holdsUp) {
            ending = (id, .tooSlow)
        } else if let id = queue.yielding(now: now, { transfer(of: $0, date) }) {
            ending = (id, .yields)
        }
        if let ending { flights[ending.flight]?.control.stopWork() } else { setAlarms() }
    }

    private func transfer(of id: FlightID, _ now: Int64) -> DownloadQueue<FlightID>.Transfer {
        guard let flight = flights[id] else { return .init(bytes: 0, keepsBytes: false, isRepeatable: false) }
        return flight.transfer(now: now, keepingAtMost: isCurrent(flight) ? settings.maximumResumableBytes : 0)
    }

    /// Whether another download waits for the slot of this one, or for the room that its bytes take up. Never a
    /// transfer that has paused since it was last measured.
    private func holdsUp(_ id: FlightID) -> Bool {
        let sink = flights[id]?.sink
        return sink?.share?.takePause() != true && queue.holdsUp(id) && (queue.hasRoom || sink?.received ?? 0 > 0)
    }

    /// Why the transfer of a flight was ended, once; nil if it wasn't.
    func takeEnding(of id: FlightID) -> DownloadFlight.Ending? {
        guard ending?.flight == id else { return nil }
        return ending.take()?.reason
    }
}
