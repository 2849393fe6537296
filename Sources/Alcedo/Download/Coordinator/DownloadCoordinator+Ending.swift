/// Transfers that are ended because others wait.
extension DownloadCoordinator {
    func setAlarms() {
        if let due = queue.nextStart {
            alarm.set(for: due, time) { [weak self] in await self?.startsAreDue() }
        }
        // Nothing is due while no download waits for a slot.
        let checks = [rates.isWaiting ? rates.nextCheck : nil, queue.nextYield].compactMap { $0 }
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
        if let flight = rates.check(
            now: now, bytes: { downloads[$0]?.sink?.receivedHere ?? 0 }, holdsUp: { holdsUp($0) })
        {
            end(flight, .tooSlow)
        } else if let flight = queue.yielding(now: now, { transfer(of: $0, date) }) {
            end(flight, .yields)
        } else {
            setAlarms()
        }
    }

    /// Ends the transfer of a download, but not the download.
    private func end(_ flight: FlightID, _ reason: DownloadState.Ending) {
        guard let download = downloads[flight] else { return }
        (ending, download.ending) = (flight, reason)
        download.stop?.end(())
    }

    private func transfer(of flight: FlightID, _ now: Int64) -> DownloadQueue<FlightID>.Transfer {
        guard let download = downloads[flight] else { return .init(bytes: 0, keepsBytes: false, isRepeatable: false) }
        return download.transfer(now: now, keepingAtMost: isCurrent(download) ? settings.maximumResumableBytes : 0)
    }

    /// Whether another download waits for this one's slot, or for the room that its bytes take up. False for a transfer
    /// that has paused since it was last measured.
    private func holdsUp(_ flight: FlightID) -> Bool {
        let sink = downloads[flight]?.sink
        return sink?.share?.takePause() != true && queue.holdsUp(flight)
            && (queue.hasRoom || sink?.received ?? 0 > 0)
    }
}
