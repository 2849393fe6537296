#if canImport(AppKit) && !canImport(UIKit)
public import AppKit

extension NSImageView {
    /// Loads images into this view: `imageView.alcedo.setImage(with: url)`.
    ///
    /// The view's own `animates` has no effect on these images: animations are played frame by frame.
    public var alcedo: ViewSlot<NSImageView> { ViewSlot(self) { $0.image = $1 } }
}
#endif
