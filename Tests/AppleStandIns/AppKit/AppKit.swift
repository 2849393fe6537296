// swift-format-ignore-file
// A stand-in for AppKit, see Tests/AppleStandIns/README.md. Nothing here runs.
@_exported import CoreGraphics
@_exported import QuartzCore

// appkit/nsgraphicscontext
public class NSGraphicsContext: NSObject {}
// appkit/nsimagerep
public class NSImageRep: NSObject {
    public struct HintKey: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

// appkit/nsimage
open class NSImage: NSObject {
    public convenience init(cgImage: CGImage, size: NSSize) { fatalError() }
    open var size: NSSize {
        get { fatalError() }
        set { fatalError() }
    }
    open func cgImage(
        forProposedRect rect: UnsafeMutablePointer<NSRect>?, context: NSGraphicsContext?,
        hints: [NSImageRep.HintKey: Any]?
    ) -> CGImage? { fatalError() }
}

// appkit/nsresponder
@MainActor open class NSResponder: NSObject {}
// appkit/nswindow
@MainActor open class NSWindow: NSResponder {}

// appkit/nsapplication
@MainActor open class NSApplication: NSResponder {
    public class var didResignActiveNotification: NSNotification.Name { fatalError() }
}

// appkit/nsview
@MainActor open class NSView: NSResponder {
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let minXMargin = Self(rawValue: 1)
        public static let maxXMargin = Self(rawValue: 4)
        public static let minYMargin = Self(rawValue: 8)
        public static let maxYMargin = Self(rawValue: 32)
    }

    public init(frame: NSRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }

    open var autoresizingMask: NSView.AutoresizingMask {
        get { fatalError() }
        set { fatalError() }
    }
    open var bounds: NSRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var isHidden: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var layer: CALayer? {
        get { fatalError() }
        set { fatalError() }
    }
    open var wantsLayer: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    // appkit/nsview/subviews and superview
    open var subviews: [NSView] {
        get { fatalError() }
        set { fatalError() }
    }
    open var superview: NSView? { fatalError() }
    open var window: NSWindow? { fatalError() }
    open func addSubview(_ view: NSView) { fatalError() }
    open func removeFromSuperview() { fatalError() }
    open func viewDidMoveToWindow() { fatalError() }
}

// appkit/nscontrol
@MainActor open class NSControl: NSView {
    public enum ControlSize: UInt, Sendable {
        case regular, small, mini, large
    }
}

// appkit/nsprogressindicator
@MainActor open class NSProgressIndicator: NSView {
    public enum Style: UInt, Sendable {
        case bar, spinning
    }

    public override init(frame: NSRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var controlSize: NSControl.ControlSize {
        get { fatalError() }
        set { fatalError() }
    }
    open var isDisplayedWhenStopped: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var style: NSProgressIndicator.Style {
        get { fatalError() }
        set { fatalError() }
    }
    open func startAnimation(_ sender: Any?) { fatalError() }
}

// appkit/nsimageview
@MainActor open class NSImageView: NSControl {
    open var image: NSImage? {
        get { fatalError() }
        set { fatalError() }
    }
}

// appkit/nsbutton
@MainActor open class NSButton: NSControl {
    open var alternateImage: NSImage? {
        get { fatalError() }
        set { fatalError() }
    }
    open var image: NSImage? {
        get { fatalError() }
        set { fatalError() }
    }
}
