#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
public import Alcedo

/// The settings for loading and showing an image in a view.
public struct ViewImageSettings {
    /// The settings of the view's slot, such as placeholders and their delay, previews, stale images, the previous
    /// image, and the priority of hidden views.
    public var slot = ImageSlot.Settings()
    /// The loader of the image. Default: the shared loader.
    public var loader: ImageLoader
    /// An image shown unchanged in place of a placeholder, for example a symbol that takes the view's tint color.
    /// Default: nil.
    public var placeholderImage: PlatformImage?
    /// An image shown unchanged after a failure, unless there is an older image of the same request. Default: nil,
    /// which leaves the placeholder, or the image that is kept.
    public var failureImage: PlatformImage?
    /// The transition to a loaded image. Default: a short fade.
    public var transition = ImageTransition.fade()
    /// Whether loaded images are set on the view. Default: true.
    ///
    /// If false, show them yourself in `onChange`.
    public var setsImage = true
    /// Whether animations play while the view is in a window. Default: true.
    public var playsAnimations = true
    /// The number of times animations play, at least 1. Applies to the next animation. Default: nil, which uses each
    /// animation's own number.
    public var loopCount: LoopCount?
    /// Whether an activity indicator is shown in the center of the view while the image is loaded. Default: false.
    public var showsActivity = false
    /// The size of the activity indicator. Default: medium.
    public var activityStyle = ActivityStyle.medium

    /// The sizes of an activity indicator.
    public enum ActivityStyle: Sendable {
        /// 20 points on UIKit's systems, 16 on macOS.
        case medium
        /// 37 points on UIKit's systems, 32 on macOS.
        case large
    }

    /// Creates default settings.
    ///
    /// - Parameter loader: The loader of the image.
    public init(_ loader: ImageLoader = .shared) { self.loader = loader }
}
#endif
