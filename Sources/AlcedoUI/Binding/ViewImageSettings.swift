#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
public import Alcedo

/// The settings for loading and showing a picture in a view.
public struct ViewImageSettings {
    /// The loading of the picture, and its substitutes: placeholders and their delay, the previous picture,
    /// previews, stale pictures, the priority of hidden views.
    public var slot = ImageSlot.Settings()
    /// Loads the picture. Default: the shared loader.
    public var loader: ImageLoader
    /// Shown unchanged in place of a placeholder: for example a symbol that takes the view's tint. Default: nil.
    public var placeholderImage: PlatformImage?
    /// Shown unchanged after a failure, unless there is an older picture of the same request. Default: nil, which
    /// leaves the placeholder, or the picture that is kept.
    public var failureImage: PlatformImage?
    /// The way a loaded picture replaces the one shown before. Default: a short fade.
    public var transition = ImageTransition.fade()
    /// Whether the loaded pictures are set on the view. Default: true.
    ///
    /// If false, the program shows them in `onChange`.
    public var setsImage = true
    /// Whether animations play while the view is in a window. Default: true.
    public var playsAnimations = true
    /// How many times animations play, at least once. Applies to the next animation. Default: nil, which is each
    /// animation's own number.
    public var loopCount: LoopCount?
    /// Whether an activity indicator is shown in the view's middle while the picture is loaded. Default: false.
    public var showsActivity = false

    /// Creates default settings.
    ///
    /// - Parameter loader: Loads the picture.
    public init(_ loader: ImageLoader = .shared) { self.loader = loader }
}
#endif
