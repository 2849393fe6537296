#if canImport(UIKit) && !os(watchOS)
public import UIKit
#elseif canImport(AppKit)
public import AppKit
import QuartzCore
#endif

#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
/// The transition from the image that a view shows to a newly loaded one.
///
/// `ImageSlot.Settings.transition` decides whether there is a transition. By default, there is none for an
/// image that was in memory.
public enum ImageTransition: Sendable {
    /// No transition.
    case none
    /// The old image fades into the new one over this number of seconds.
    case fade(seconds: Double = 0.25)
    /// A custom animation, which calls `change` to set the new image.
    case custom(@MainActor (_ view: PlatformView, _ change: @escaping @MainActor () -> Void) -> Void)

    @MainActor func run(on view: PlatformView, _ change: @escaping @MainActor () -> Void) {
        switch self {
        case .none: change()
        case .fade(let seconds): fade(view, seconds, change)
        case .custom(let animate): animate(view, change)
        }
    }
}
#endif

#if canImport(UIKit) && !os(watchOS)
extension ImageTransition {
    @MainActor
    private func fade(_ view: UIView, _ seconds: Double, _ change: @escaping @MainActor () -> Void) {
        UIView.transition(
            with: view, duration: seconds, options: [.transitionCrossDissolve, .allowUserInteraction],
            animations: { change() })
    }
}
#elseif canImport(AppKit)
extension ImageTransition {
    @MainActor
    private func fade(_ view: NSView, _ seconds: Double, _ change: @escaping @MainActor () -> Void) {
        let fade = CATransition()
        fade.type = .fade
        fade.duration = seconds
        view.wantsLayer = true
        view.layer?.add(fade, forKey: "alcedo.fade")
        change()
    }
}
#endif
