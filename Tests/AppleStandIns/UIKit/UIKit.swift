// swift-format-ignore-file
// A stand-in for UIKit, see Tests/AppleStandIns/README.md. Nothing here runs.
@_exported import CoreGraphics
@_exported import QuartzCore

// uikit/uigraphicspushcontext(_:)
public func UIGraphicsPushContext(_ context: CGContext) { fatalError() }
// uikit/uigraphicspopcontext()
public func UIGraphicsPopContext() { fatalError() }

// uikit/uiimage
open class UIImage: NSObject, @unchecked Sendable {
    public enum Orientation: Int, Sendable {
        case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
    }

    public init(cgImage: CGImage, scale: CGFloat, orientation: UIImage.Orientation) { fatalError() }
    public init?(systemName name: String) { fatalError() }
    open var scale: CGFloat { fatalError() }
    open var size: CGSize { fatalError() }
    open func draw(in rect: CGRect) { fatalError() }
}

// uikit/uiresponder
@MainActor open class UIResponder: NSObject {}
// uikit/uiwindow
@MainActor open class UIWindow: UIView {}

// uikit/uibackgroundtaskidentifier
public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let invalid = Self(rawValue: 0)
}

// uikit/uiapplication
@MainActor open class UIApplication: UIResponder {
    /// UIKit says that it is never nil, but it is until the app exists.
    open class var shared: UIApplication! { fatalError() }
    public class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
    public class var didReceiveMemoryWarningNotification: NSNotification.Name { fatalError() }
    // uikit/uiapplication/willenterforegroundnotification
    public class var willEnterForegroundNotification: NSNotification.Name { fatalError() }
    nonisolated open func beginBackgroundTask(
        withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { fatalError() }
    nonisolated open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { fatalError() }
}

// uikit/uiview
@MainActor open class UIView: UIResponder {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let allowUserInteraction = Self(rawValue: 1 << 1)
        public static let transitionCrossDissolve = Self(rawValue: 5 << 20)
    }

    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let flexibleLeftMargin = Self(rawValue: 1 << 0)
        public static let flexibleRightMargin = Self(rawValue: 1 << 2)
        public static let flexibleTopMargin = Self(rawValue: 1 << 3)
        public static let flexibleBottomMargin = Self(rawValue: 1 << 5)
    }

    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill
    }

    public init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }

    open var autoresizingMask: UIView.AutoresizingMask {
        get { fatalError() }
        set { fatalError() }
    }
    open var bounds: CGRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var center: CGPoint {
        get { fatalError() }
        set { fatalError() }
    }
    open var clipsToBounds: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var contentMode: UIView.ContentMode {
        get { fatalError() }
        set { fatalError() }
    }
    open var isHidden: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var isUserInteractionEnabled: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    // uikit/uiview/subviews and superview
    open var subviews: [UIView] { fatalError() }
    open var superview: UIView? { fatalError() }
    open var window: UIWindow? { fatalError() }
    open func addSubview(_ view: UIView) { fatalError() }
    open func didMoveToWindow() { fatalError() }
    open func removeFromSuperview() { fatalError() }

    open class func transition(
        with view: UIView, duration: TimeInterval, options: UIView.AnimationOptions = [],
        animations: (() -> Void)?, completion: ((Bool) -> Void)? = nil
    ) { fatalError() }
}

// uikit/uiactivityindicatorview
@MainActor open class UIActivityIndicatorView: UIView {
    public enum Style: Int, Sendable {
        case medium = 100
        case large = 101
    }
    // uikit/uiactivityindicatorview/style-swift.property
    open var style: UIActivityIndicatorView.Style {
        get { fatalError() }
        set { fatalError() }
    }

    public init(style: UIActivityIndicatorView.Style) { fatalError() }
    public override init(frame: CGRect) { fatalError() }
    public required init(coder: NSCoder) { fatalError() }
    open func startAnimating() { fatalError() }
}

// uikit/uiimageview
@MainActor open class UIImageView: UIView {
    public override init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var animationDuration: TimeInterval {
        get { fatalError() }
        set { fatalError() }
    }
    open var animationImages: [UIImage]? {
        get { fatalError() }
        set { fatalError() }
    }
    open var highlightedImage: UIImage? {
        get { fatalError() }
        set { fatalError() }
    }
    open var image: UIImage? {
        get { fatalError() }
        set { fatalError() }
    }
    open func startAnimating() { fatalError() }
    open func stopAnimating() { fatalError() }
}

// uikit/uicontrol
@MainActor open class UIControl: UIView {
    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let normal = Self([])
        public static let highlighted = Self(rawValue: 1 << 0)
        public static let selected = Self(rawValue: 1 << 2)
    }
}

// uikit/uibutton
@MainActor open class UIButton: UIControl {
    open func backgroundImage(for state: UIControl.State) -> UIImage? { fatalError() }
    open func image(for state: UIControl.State) -> UIImage? { fatalError() }
    open func setBackgroundImage(_ image: UIImage?, for state: UIControl.State) { fatalError() }
    open func setImage(_ image: UIImage?, for state: UIControl.State) { fatalError() }
}

// uikit/uiviewcontroller
@MainActor open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open func viewDidLoad() { fatalError() }
}

// uikit/uicollectionreusableview
@MainActor open class UICollectionReusableView: UIView {
}

// uikit/uicollectionviewcell
@MainActor open class UICollectionViewCell: UICollectionReusableView {
    public override init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open var contentView: UIView { fatalError() }
}

// uikit/uicollectionviewlayout
@MainActor open class UICollectionViewLayout: NSObject {}
// uikit/uicollectionviewflowlayout
@MainActor open class UICollectionViewFlowLayout: UICollectionViewLayout {
    open var itemSize: CGSize {
        get { fatalError() }
        set { fatalError() }
    }
}

// uikit/uicollectionviewdatasourceprefetching
@MainActor public protocol UICollectionViewDataSourcePrefetching: NSObjectProtocol {
    func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
    func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

// uikit/uicollectionview
@MainActor open class UICollectionView: UIView {
    weak open var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
    open func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) { fatalError() }
    open func dequeueReusableCell(
        withReuseIdentifier identifier: String, for indexPath: IndexPath
    ) -> UICollectionViewCell { fatalError() }
}

// uikit/uicollectionviewcontroller
@MainActor open class UICollectionViewController: UIViewController {
    public init(collectionViewLayout layout: UICollectionViewLayout) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    public override init(nibName: String?, bundle: Bundle?) { fatalError() }
    // Declared as an implicitly unwrapped optional by UIKit.
    open var collectionView: UICollectionView! {
        get { fatalError() }
        set { fatalError() }
    }
    open func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
        fatalError()
    }
    open func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell { fatalError() }
}

// foundation/indexpath
extension IndexPath {
    public var item: Int { fatalError() }
}
