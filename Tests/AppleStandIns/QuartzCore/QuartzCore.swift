// swift-format-ignore-file
// A stand-in for QuartzCore, see Tests/AppleStandIns/README.md. Nothing here runs.
@_exported import CoreGraphics

// quartzcore/catransitiontype
public struct CATransitionType: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let fade = Self(rawValue: "fade")
}

// quartzcore/caanimation
open class CAAnimation: NSObject {
    open var duration: CFTimeInterval {
        get { fatalError() }
        set { fatalError() }
    }
}

// quartzcore/catransition
open class CATransition: CAAnimation {
    open var type: CATransitionType {
        get { fatalError() }
        set { fatalError() }
    }
}

// quartzcore/calayer
open class CALayer: NSObject {
    open func add(_ animation: CAAnimation, forKey key: String?) { fatalError() }
}
