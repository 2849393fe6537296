// swift-format-ignore-file
// A stand-in for MapKit, see Tests/AppleStandIns/README.md. Nothing here runs.
// Compiled once for each pass, because its views are those of UIKit or of AppKit.
#if canImport(UIKit)
@_exported import UIKit
#else
@_exported import AppKit
#endif

// mapkit/mkannotation
public protocol MKAnnotation: NSObjectProtocol {}

#if canImport(UIKit)
// mapkit/mkannotationview
@MainActor open class MKAnnotationView: UIView {
    public init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) { fatalError() }
    public required init?(coder aDecoder: NSCoder) { fatalError() }
    open var image: UIImage? {
        get { fatalError() }
        set { fatalError() }
    }
}
#else
@MainActor open class MKAnnotationView: NSView {
    public init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) { fatalError() }
    public required init?(coder aDecoder: NSCoder) { fatalError() }
    open var image: NSImage? {
        get { fatalError() }
        set { fatalError() }
    }
}
#endif
