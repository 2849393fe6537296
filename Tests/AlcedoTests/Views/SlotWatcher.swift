import Alcedo

/// Follows what a slot shows, in words; see `SlotState.brief`.
@MainActor final class SlotWatcher {
    /// Released with the watcher, not before.
    let slot: ImageSlot
    let changes = Recorder<String>()

    init(_ slot: ImageSlot) {
        self.slot = slot
        slot.onChange = { [changes] in changes.record($0.brief) }
    }

    /// Suspends until the slot is as described.
    func until(_ brief: String) async { await changes.wait { $0.last == brief } }
}

extension ImageSlot {
    var brief: String { "\(phase.brief) | \(shown.brief)" }
}
