#if canImport(SwiftUI)
public import Alcedo
public import Foundation
public import SwiftUI

/// A view that loads and shows an image.
///
/// ```swift
/// RemoteImage(url) { phase in
///     if let picture = phase.picture {
///         picture.resizable().scaledToFill()
///     } else {
///         ProgressView()
///     }
/// }
/// ```
///
/// An image in memory is shown in the first frame. When the URL changes, the previous load ends.
public struct RemoteImage<Content: View>: View {
    var request: ImageRequest?
    var settings: RemoteImageSettings
    private let content: (RemoteImagePhase) -> Content

    @State private var holder = SlotHolder()

    /// Creates a view of a request's image.
    ///
    /// - Parameters:
    ///   - request: The image to load; nil for none.
    ///   - settings: The settings for loading and showing the image.
    ///   - content: Makes the view for each phase.
    public init(
        _ request: ImageRequest?, settings: RemoteImageSettings = RemoteImageSettings(),
        @ViewBuilder content: @escaping (RemoteImagePhase) -> Content
    ) {
        self.request = request
        self.settings = settings
        self.content = content
    }

    /// Creates a view of the image at a URL; see ``init(_:settings:content:)-(ImageRequest?,_,_)``.
    public init(
        _ url: URL?, settings: RemoteImageSettings = RemoteImageSettings(),
        @ViewBuilder content: @escaping (RemoteImagePhase) -> Content
    ) {
        self.init(url.map { ImageRequest(url: $0) }, settings: settings, content: content)
    }

    /// The content for the current phase.
    public var body: some View {
        let slot = holder.slot(for: settings)
        let shown = slot.shown
        content(phase(of: slot))
            .animation(shown.isTransition ? settings.animation : nil, value: shown.number)
            .onChange(of: request, initial: true) { load(slot) }
            .onAppear {
                slot.isVisible = true
                // Does nothing unless the load was cancelled.
                load(slot)
            }
            .onDisappear {
                slot.isVisible = false
                if settings.cancelsOnDisappear { slot.cancel() }
            }
    }

    private func load(_ slot: ImageSlot) {
        slot.settings = settings.slot
        slot.onChange = settings.changeAction(holder.endings)
        slot.load(request)
    }

    private func phase(of slot: ImageSlot) -> RemoteImagePhase {
        let scale = request?.pixelsPerPoint ?? 1
        // The body is evaluated before the load begins. An image in memory must not wait until then.
        if let request, slot.request != request, let response = settings.loader.cachedResponse(for: request) {
            return RemoteImagePhase(
                slot, state: .success(response), shown: .image(response.image), number: 0, scale: scale,
                label: settings.label)
        }
        return RemoteImagePhase(
            slot, state: slot.phase, shown: slot.shown.picture, number: slot.shown.number, scale: scale,
            label: settings.label)
    }
}

extension RemoteImage where Content == RemoteImageContent {
    /// Creates a view of a request's image, and of a placeholder until it is loaded. The view fills the space it is
    /// offered.
    public init(_ request: ImageRequest?, settings: RemoteImageSettings = RemoteImageSettings()) {
        self.init(request, settings: settings) { phase in RemoteImageContent(phase: phase) }
    }

    /// Creates a view of the image at a URL, and of a placeholder until it is loaded. The view fills the space it is
    /// offered.
    public init(_ url: URL?, settings: RemoteImageSettings = RemoteImageSettings()) {
        self.init(url, settings: settings) { phase in RemoteImageContent(phase: phase) }
    }
}

/// The default content of a ``RemoteImage``: the image, a preview or a placeholder, if there is one.
public struct RemoteImageContent: View {
    let phase: RemoteImagePhase

    /// The resizable image.
    public var body: some View {
        if let picture = phase.picture {
            // A new identity lets the old image fade out while the new one fades in.
            picture.resizable().id(phase.number).transition(.opacity)
        } else {
            Color.clear
        }
    }
}

/// Creates the slot when it is first needed. SwiftUI creates the initial state with every value of the view, and keeps
/// only the first one.
@MainActor private final class SlotHolder {
    let endings = LoadEndings()
    private var slot: ImageSlot?

    nonisolated init() {}

    func slot(for settings: RemoteImageSettings) -> ImageSlot {
        if let slot { return slot }
        let slot = ImageSlot(settings.loader, settings: settings.slot)
        self.slot = slot
        return slot
    }
}
#endif
