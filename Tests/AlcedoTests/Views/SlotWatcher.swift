import Alcedo

/// Follows what a slot shows, in words; see `SlotState.brief`.
@MainActor final class SlotWatcher {
    /// Released with the watcher, not before.
    let slot: ImageSlot
    let changes = Recorder<String>()
    private let loading = Recorder<Bool>()

    init(_ slot: ImageSlot) {
        self.slot = slot
        slot.onChange = { [changes, loading] slot in
            changes.record(slot.brief)
            loading.record(slot.isLoading)
        }
    }

    /// Suspends until the slot is as described.
    func until(_ brief: String) async { await changes.wait { $0.last == brief } }

    /// Suspends until the slot has reported that its load has ended.
    func untilLoaded() async { await loading.wait { $0.last == false } }
}

extension ImageSlot {
    var brief: String { "\(phase.brief) | \(shown.brief)" }
}
