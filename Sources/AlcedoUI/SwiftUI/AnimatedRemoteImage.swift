#if canImport(SwiftUI)
public import Alcedo
public import Foundation
import Observation
public import SwiftUI

/// A view that loads an image, and plays it if it is an animation.
///
/// Animations play while the view is on the screen. If the user prefers reduced motion, only the first frame is shown.
public struct AnimatedRemoteImage: View {
    var request: ImageRequest?
    var settings: RemoteImageSettings
    private let isPaused: Bool
    private let loopCount: LoopCount?

    /// Creates a view of a request's image.
    ///
    /// - Parameters:
    ///   - request: The image to load; nil for none.
    ///   - isPaused: Whether the animation is paused. Default: false.
    ///   - loopCount: The number of times to play, at least 1. Applies to the next animation. Default: nil, which uses
    ///     the animation's own number.
    ///   - settings: The settings for loading and showing the image.
    public init(
        _ request: ImageRequest?, isPaused: Bool = false, loopCount: LoopCount? = nil,
        settings: RemoteImageSettings = RemoteImageSettings()
    ) {
        self.request = request
        self.loopCount = loopCount
        self.settings = settings
        self.isPaused = isPaused
    }

    /// Creates a view of the image at a URL; see ``init(_:isPaused:loopCount:settings:)-(ImageRequest?,_,_,_)``.
    public init(
        _ url: URL?, isPaused: Bool = false, loopCount: LoopCount? = nil,
        settings: RemoteImageSettings = RemoteImageSettings()
    ) {
        self.init(url.map { ImageRequest(url: $0) }, isPaused: isPaused, loopCount: loopCount, settings: settings)
    }

    /// The current frame.
    public var body: some View {
        RemoteImage(request, settings: settings) { phase in
            PlayingImage(
                phase: phase, isPaused: isPaused, loopCount: loopCount, budget: settings.loader.frameBudget)
        }
    }
}

/// The image of a phase, played if it is an animation.
private struct PlayingImage: View {
    let phase: RemoteImagePhase
    let isPaused: Bool
    let loopCount: LoopCount?
    let budget: FrameBudget

    @State private var model = PlayingModel()
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    private var animation: AnimatedImage? { phase.shown.image?.animation }
    private var isStill: Bool { isPaused || reducesMotion }

    var body: some View {
        frame
            .onChange(of: animation.map { ObjectIdentifier($0) }, initial: true) {
                model.play(phase.shown.image, loopCount, isPaused: isStill, within: budget)
            }
            .onChange(of: isStill) { model.player?.isPaused = isStill }
            .onAppear { model.isVisible = true }
            .onDisappear { model.isVisible = false }
    }

    @ViewBuilder private var frame: some View {
        if let animation, let bitmap = model.bitmap,
            let image = Image(bitmap, scale: phase.scale, label: phase.label, profile: animation.profile)
        {
            image.resizable()
        } else {
            RemoteImageContent(phase: phase)
        }
    }
}

/// The frame that an animation shows.
@MainActor @Observable private final class PlayingModel {
    private(set) var bitmap: Bitmap?
    @ObservationIgnored private(set) var player: AnimationPlayer?
    /// Whether the view is on the screen. A load that ends after the view has disappeared also creates a player.
    @ObservationIgnored var isVisible = true { didSet { player?.isVisible = isVisible } }

    nonisolated init() {}

    /// Plays the animation of an image in place of the previous one. A still image only ends the previous one.
    func play(_ image: DecodedImage?, _ loopCount: LoopCount?, isPaused: Bool, within budget: FrameBudget) {
        bitmap = image?.bitmap
        player = image?.animation.map { animation in
            AnimationPlayer(animation, firstFrame: image?.bitmap, loopCount: loopCount, budget: budget) {
                [weak self] in self?.bitmap = $0.bitmap
            }
        }
        player?.isPaused = isPaused
        player?.isVisible = isVisible
    }
}
#endif
