#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
import Alcedo
import ObjectiveC

#if canImport(UIKit) && !os(watchOS)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// The slots of a view. The view holds them, and its release ends their loads.
@MainActor final class SlotStore {
    private var bindings: [String: SlotBinding] = [:]
    private var probe: WindowProbe?
    private var isVisible = true
    /// Loads the pictures of a sequence.
    var sequence: Task<Void, Never>? {
        didSet { oldValue?.cancel() }
    }
    /// Stops showing a sequence.
    var stopSequence: (@MainActor () -> Void)?

    deinit { sequence?.cancel() }

    /// The store of a view, or of another object with a place for a picture.
    static func of(_ owner: AnyObject) -> SlotStore {
        if let store = existing(of: owner) { return store }
        let store = SlotStore()
        objc_setAssociatedObject(owner, key, store, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        if let view = owner as? PlatformView { store.watch(view) }
        return store
    }

    /// The store of an object for which a picture was loaded before; nil for others.
    static func existing(of owner: AnyObject) -> SlotStore? {
        objc_getAssociatedObject(owner, key) as? SlotStore
    }

    /// An address that nothing else uses as its key.
    private static let key = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

    subscript(name: String) -> SlotBinding? { bindings[name] }

    /// The binding of this name, created if there is none.
    func binding(
        _ name: String, of owner: AnyObject, _ settings: ViewImageSettings, _ show: @escaping SlotBinding.Show
    ) -> SlotBinding {
        if let binding = bindings[name] { return binding }
        let binding = SlotBinding(owner, isVisible: isVisible, settings: settings, show: show)
        bindings[name] = binding
        return binding
    }

    /// Ends a sequence, because a picture takes its place.
    func endSequence() {
        sequence = nil
        stopSequence?()
        stopSequence = nil
    }

    func cancel() {
        sequence = nil
        for binding in bindings.values { binding.slot.cancel() }
    }

    private func watch(_ view: PlatformView) {
        isVisible = view.window != nil
        let probe = WindowProbe { [weak self] isInWindow in self?.setVisible(isInWindow) }
        view.addSubview(probe)
        self.probe = probe
    }

    private func setVisible(_ isVisible: Bool) {
        guard isVisible != self.isVisible else { return }
        self.isVisible = isVisible
        for binding in bindings.values { binding.isVisible = isVisible }
    }
}
#endif
