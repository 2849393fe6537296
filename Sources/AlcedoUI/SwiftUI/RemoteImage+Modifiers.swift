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
    /// Called once for each load, also for an image that was in memory. Not called for a load that is cancelled, even
    /// if a stale image is shown. ``RemoteImageSettings/onChange`` is called first.
    public func onCompletion(
        _ action: @escaping @MainActor (Result<ImageResponse, ImageLoaderError>) -> Void
    ) -> Self {
        with { $0.settings.completions.append(action) }
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
        with { $0.settings.completions.append(action) }
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var view = self
        change(&view)
        return view
    }
}
#endif
