import Alcedo
import AlcedoTestSupport

/// Follows what a slot shows, in words; see `SlotState.brief`.
@MainActor final class SlotWatcher {
    let slot: ImageSlot
    let changes = Recorder<String>()

    init(_ slot: ImageSlot) {
        self.slot = slot
        slot.onChange = { [changes] in changes.record($0.brief) }
    }

    /// A slot with a placeholder, and its watcher.
    static func slot(
        _ loader: ImageLoader, _ clock: ManualClock, _ change: (inout ImageSlot.Settings) -> Void
    ) -> (ImageSlot, SlotWatcher) {
        var settings = ImageSlot.Settings()
        settings.placeholder = .color(PixelColor(red: 255, green: 0, blue: 0))
        change(&settings)
        let slot = ImageSlot(loader, settings: settings, clock: clock)
        return (slot, SlotWatcher(slot))
    }

    /// Suspends until the slot is as described.
    func until(_ brief: String) async { await changes.wait { $0.last == brief } }
}

extension ImageSlot {
    var brief: String { "\(phase.brief) | \(shown.brief)" }
}
