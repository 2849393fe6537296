#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
public import Alcedo

/// How a view loads and shows a picture.
public struct ViewImageSettings {
    /// What is shown besides the picture, and how it is loaded: placeholders and their delay, the previous picture,
    /// previews, stale pictures, the priority of hidden views.
    public var slot = ImageSlot.Settings()
    /// Loads the picture. Default: the shared one.
    public var loader: ImageLoader
    /// Shown in place of a placeholder, as it is: for example a symbol that takes the view's tint. Default: nil.
    public var placeholderImage: PlatformImage?
    /// Shown when the load has failed, as it is, unless a picture is kept. Default: nil, which leaves the placeholder.
    public var failureImage: PlatformImage?
    /// How a loaded picture replaces what was shown. Default: a short fade.
    public var transition = ImageTransition.fade()
    /// Whether the view is given its pictures. Default: true.
    ///
    /// If false, the program shows them, in `onChange`.
    public var setsImage = true
    /// Whether animations play. They do while the view is in a window. Default: true.
    public var playsAnimations = true
    /// Whether an activity indicator is shown in the view's middle while the picture is loaded. Default: false.
    public var showsActivity = false

    /// Creates default settings.
    ///
    /// - Parameter loader: Loads the picture.
    public init(_ loader: ImageLoader = .shared) { self.loader = loader }
}
#endif
