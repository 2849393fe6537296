#if canImport(SwiftUI)
import Alcedo

/// Detects when the loads of a slot end. It lasts as long as the slot, so each end is reported once.
@MainActor final class LoadEndings {
    typealias Action = @MainActor (Result<ImageResponse, ImageLoaderError>) -> Void

    private var count = 0

    nonisolated init() {}

    /// The result of a load that has ended since the last call; nil if none has.
    func result(of slot: ImageSlot) -> Result<ImageResponse, ImageLoaderError>? {
        guard slot.endedLoads != count else { return nil }
        count = slot.endedLoads
        return switch slot.phase {
        case .success(let response): .success(response)
        case .failure(let error): .failure(error)
        case .empty, .loading: nil
        }
    }
}

extension RemoteImageSettings {
    /// Returns the action to run after each change of a slot: ``onChange``, and the completions if a load has ended.
    @MainActor func changeAction(_ endings: LoadEndings) -> @MainActor (ImageSlot) -> Void {
        { [onChange, completions] slot in
            // Read first, because onChange may begin another load. Each end counts, even if nothing is to be called.
            let result = endings.result(of: slot)
            onChange?(slot)
            guard let result else { return }
            for completion in completions { completion(result) }
        }
    }
}
#endif
