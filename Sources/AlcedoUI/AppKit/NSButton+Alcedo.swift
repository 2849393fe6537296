#if canImport(AppKit) && !canImport(UIKit)
public import Alcedo
public import AppKit

extension NSButton {
    /// Loads images into this button: `button.alcedo.setImage(with: url)`.
    public var alcedo: ViewSlot<NSButton> { ViewSlot(self) { $0.image = $1 } }
}

extension ViewSlot where Owner: NSButton {
    /// The place for the image that the button shows while it is on.
    public var alternate: ViewSlot<Owner> { ViewSlot(owner, named: "alternate") { $0.alternateImage = $1 } }

    /// Loads the image that the button shows while it is on; see
    /// ``setImage(with:placeholder:settings:onChange:)-(ImageRequest?,_,_,_)``.
    public func setAlternateImage(
        with request: ImageRequest?, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        alternate.setImage(with: request, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Loads the image that the button shows while it is on from `source`, such as a URL; see
    /// ``setAlternateImage(with:placeholder:settings:onChange:)-(ImageRequest?,_,_,_)``.
    public func setAlternateImage(
        with source: (some ImageRequestConvertible)?, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        setAlternateImage(
            with: source?.imageRequest, placeholder: placeholder, settings: settings, onChange: onChange)
    }
}
#endif
