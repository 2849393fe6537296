#if canImport(SwiftUI)
public import Alcedo
public import SwiftUI

extension RemoteImage {
    /// Replaces the request's processors.
    public func processors(_ processors: [any ImageProcessing]) -> Self {
        with { $0.request?.processors = processors }
    }

    /// Sets the request's priority.
    public func priority(_ priority: RequestPriority) -> Self { with { $0.request?.priority = priority } }

    /// Sets the text that describes the image to people who can't see it; see ``RemoteImageSettings/label``.
    public func imageLabel(_ label: Text) -> Self { with { $0.settings.label = label } }

    /// Adds an action to be called when a load has ended, with the response whose image is shown or with the error.
    ///
    /// Also called for an image that was in memory. Not called if the load is cancelled before there is an image.
    /// ``RemoteImageSettings/onChange`` is called first.
    public func onCompletion(
        _ action: @escaping @MainActor (Result<ImageResponse, ImageLoaderError>) -> Void
    ) -> Self {
        with { $0.settings.addCompletion(action) }
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var view = self
        change(&view)
        return view
    }
}

extension AnimatedRemoteImage {
    /// Replaces the request's processors.
    public func processors(_ processors: [any ImageProcessing]) -> Self {
        with { $0.request?.processors = processors }
    }

    /// Sets the request's priority.
    public func priority(_ priority: RequestPriority) -> Self { with { $0.request?.priority = priority } }

    /// Sets the text that describes the image to people who can't see it; see ``RemoteImageSettings/label``.
    public func imageLabel(_ label: Text) -> Self { with { $0.settings.label = label } }

    /// Adds an action to be called when a load has ended; see ``RemoteImage/onCompletion(_:)``.
    public func onCompletion(
        _ action: @escaping @MainActor (Result<ImageResponse, ImageLoaderError>) -> Void
    ) -> Self {
        with { $0.settings.addCompletion(action) }
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var view = self
        change(&view)
        return view
    }
}

extension RemoteImageSettings {
    @MainActor fileprivate mutating func addCompletion(
        _ action: @escaping @MainActor (Result<ImageResponse, ImageLoaderError>) -> Void
    ) {
        let (earlier, ending) = (onChange, LoadEnding())
        onChange = { slot in
            earlier?(slot)
            if let result = ending.result(of: slot) { action(result) }
        }
    }
}

/// Tells the end of a load from the other changes of its slot.
@MainActor private final class LoadEnding {
    private var hasEnded = false

    /// The result of the slot's load, once it has ended; nil before, and on later changes.
    func result(of slot: ImageSlot) -> Result<ImageResponse, ImageLoaderError>? {
        let result: Result<ImageResponse, ImageLoaderError>? =
            switch slot.phase {
            case .success(let response): .success(response)
            case .failure(let error): .failure(error)
            case .empty, .loading: nil
            }
        defer { hasEnded = !slot.isLoading && result != nil }
        return slot.isLoading || hasEnded ? nil : result
    }
}
#endif
