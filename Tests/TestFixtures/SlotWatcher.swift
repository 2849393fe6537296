import Alcedo

/// Records the states of a slot as texts; see `SlotState.brief`.
@MainActor final class SlotWatcher {
    /// The slot, which is kept alive until the watcher is released.
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

    /// Suspends until the slot has the described state.
    func until(_ brief: String) async { await changes.wait { $0.last == brief } }

    /// Suspends until the slot has reported that its load has ended.
    func untilLoaded() async { await loading.wait { $0.last == false } }
}

extension ImageSlot {
    var brief: String { "\(phase.brief) | \(shown.brief)" }
}

extension ImageSlot.Phase {
    var brief: String {
        switch self {
        case .empty: "empty"
        case .loading(let loading):
            "loading \(loading.receivedBytes)" + (loading.expectedBytes.map { "/\($0)" } ?? "")
                + (loading.preview == nil ? "" : " preview")
        case .success(let response):
            "success \(response.image.size.width)" + (response.isStale ? " stale" : "")
                + (response.isLowResolution ? " low" : "")
        case .failure(let error): error.kind.rawValue
        }
    }
}

extension ImageSlot.Shown {
    var brief: String {
        let name =
            switch picture {
            case .none: "none"
            case .placeholder(.image(let image)): "placeholder \(image.size.width)"
            case .placeholder: "placeholder"
            case .preview(let preview): "preview \(preview.bitmap.size.width)"
            case .image(let image): "image \(image.size.width)"
            }
        return isTransition ? name + " fading" : name
    }
}
