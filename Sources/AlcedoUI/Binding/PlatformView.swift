#if canImport(UIKit) && !os(watchOS)
public import UIKit

/// The type of the system's views.
public typealias PlatformView = UIView

/// An invisible view that reports when its superview enters or leaves a window.
final class WindowProbe: UIView {
    private let onChange: @MainActor (_ isInWindow: Bool) -> Void

    init(_ onChange: @escaping @MainActor (_ isInWindow: Bool) -> Void) {
        self.onChange = onChange
        super.init(frame: .zero)
        isHidden = true
        isUserInteractionEnabled = false
    }

    required init?(coder: NSCoder) { nil }

    override func didMoveToWindow() {
        super.didMoveToWindow()
        onChange(window != nil)
    }
}

/// A view that spins while an image is being loaded.
final class ActivityView: UIActivityIndicatorView {
    static func shown(in view: UIView, _ style: ViewImageSettings.ActivityStyle) -> ActivityView {
        let activity = ActivityView(style: style == .large ? .large : .medium)
        activity.center = CGPoint(x: view.bounds.midX, y: view.bounds.midY)
        activity.autoresizingMask = [
            .flexibleLeftMargin, .flexibleRightMargin, .flexibleTopMargin, .flexibleBottomMargin,
        ]
        view.addSubview(activity)
        activity.startAnimating()
        return activity
    }
}
#elseif canImport(AppKit)
public import AppKit

/// The type of the system's views.
public typealias PlatformView = NSView

/// An invisible view that reports when its superview enters or leaves a window.
final class WindowProbe: NSView {
    private let onChange: @MainActor (_ isInWindow: Bool) -> Void

    init(_ onChange: @escaping @MainActor (_ isInWindow: Bool) -> Void) {
        self.onChange = onChange
        super.init(frame: .zero)
        isHidden = true
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidMoveToWindow() {
        super.viewDidMoveToWindow()
        onChange(window != nil)
    }
}

/// A view that spins while an image is being loaded.
final class ActivityView: NSProgressIndicator {
    static func shown(in view: NSView, _ style: ViewImageSettings.ActivityStyle) -> ActivityView {
        let side: CGFloat = style == .large ? 32 : 16
        let activity = ActivityView(
            frame: NSRect(x: view.bounds.midX - side / 2, y: view.bounds.midY - side / 2, width: side, height: side))
        activity.style = .spinning
        activity.controlSize = style == .large ? .regular : .small
        activity.isDisplayedWhenStopped = false
        activity.autoresizingMask = [.minXMargin, .maxXMargin, .minYMargin, .maxYMargin]
        view.addSubview(activity)
        activity.startAnimation(nil)
        return activity
    }
}
#endif
