#if canImport(UIKit) && !os(watchOS)
public import Alcedo
public import UIKit

extension UIButton {
    /// Loads images into this button: `button.alcedo.setImage(with: url, for: .normal)`.
    public var alcedo: ButtonSlots { ButtonSlots(button: self) }
}

/// The places of a button that show loaded images: the image and the background image of each state.
///
/// Each state has its own slot, so an image for one state doesn't end the load for another.
@MainActor public struct ButtonSlots {
    let button: UIButton

    /// The place for the image of a state.
    public func image(for state: UIControl.State = .normal) -> ViewSlot<UIButton> {
        ViewSlot(button, named: "image \(state.rawValue)") { $0.setImage($1, for: state) }
    }

    /// The place for the background image of a state.
    ///
    /// A button with a `configuration` ignores it: show the image in `configuration.background.image` yourself.
    public func backgroundImage(for state: UIControl.State = .normal) -> ViewSlot<UIButton> {
        ViewSlot(button, named: "background \(state.rawValue)") { $0.setBackgroundImage($1, for: state) }
    }

    /// Loads the image of a state; see
    /// ``ViewSlot/setImage(with:placeholder:settings:onChange:)-(ImageRequest?,_,_,_)``.
    public func setImage(
        with request: ImageRequest?, for state: UIControl.State, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        image(for: state).setImage(with: request, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Loads the image of a state from `source`, such as a URL; see
    /// ``setImage(with:for:placeholder:settings:onChange:)-(ImageRequest?,_,_,_,_)``.
    public func setImage(
        with source: (some ImageRequestConvertible)?, for state: UIControl.State, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        setImage(
            with: source?.imageRequest, for: state, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Loads the background image of a state; see
    /// ``ViewSlot/setImage(with:placeholder:settings:onChange:)-(ImageRequest?,_,_,_)``.
    public func setBackgroundImage(
        with request: ImageRequest?, for state: UIControl.State, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        backgroundImage(for: state).setImage(
            with: request, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Loads the background image of a state from `source`, such as a URL; see
    /// ``setBackgroundImage(with:for:placeholder:settings:onChange:)-(ImageRequest?,_,_,_,_)``.
    public func setBackgroundImage(
        with source: (some ImageRequestConvertible)?, for state: UIControl.State, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        setBackgroundImage(
            with: source?.imageRequest, for: state, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Ends the loads of all states. The images stay.
    public func cancelAll() { SlotStore.existing(of: button)?.cancel() }
}
#endif
