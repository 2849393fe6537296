#if canImport(SwiftUI)
import Alcedo

/// Tells the ends of a slot's loads from its other changes. It lasts as long as the slot, so each end is told once.
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
    /// What a slot calls after each change: ``onChange``, and the completions if a load has ended.
    @MainActor func changeAction(_ endings: LoadEndings) -> (@MainActor (ImageSlot) -> Void)? {
        if completions.isEmpty { return onChange }
        return { [onChange, completions] slot in
            onChange?(slot)
            guard let result = endings.result(of: slot) else { return }
            for completion in completions { completion(result) }
        }
    }
}
#endif
