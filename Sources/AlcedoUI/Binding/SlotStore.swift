#if canImport(UIKit) && !os(watchOS) || canImport(AppKit)
import Alcedo
import ObjectiveC

#if canImport(UIKit) && !os(watchOS)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// The slots of a view. The view retains them, and its release ends their loads.
@MainActor final class SlotStore {
    private var bindings: [String: SlotBinding] = [:]
    private var probe: WindowProbe?
    private var isVisible = true
    /// The Task that loads the images of a sequence.
    var sequence: Task<Void, Never>? {
        didSet { oldValue?.cancel() }
    }
    /// Stops showing a sequence.
    var stopSequence: (@MainActor () -> Void)?

    deinit { sequence?.cancel() }

    /// Returns the store of a view, or of another object with a place for an image. Creates it if there is none.
    static func of(_ owner: AnyObject) -> SlotStore {
        if let store = existing(of: owner) {
            if let view = owner as? PlatformView { store.keepWatching(view) }
            return store
        }
        let store = SlotStore()
        objc_setAssociatedObject(owner, key, store, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        if let view = owner as? PlatformView { store.watch(view) }
        return store
    }

    /// Returns the store of an object for which an image was loaded before; nil for other objects.
    static func existing(of owner: AnyObject) -> SlotStore? {
        objc_getAssociatedObject(owner, key) as? SlotStore
    }

    /// An address that nothing else uses as its key.
    private static let key = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

    subscript(name: String) -> SlotBinding? { bindings[name] }

    /// Returns the binding with this name, and creates it if there is none.
    func binding(
        _ name: String, of owner: AnyObject, _ settings: ViewImageSettings, _ show: @escaping SlotBinding.Show
    ) -> SlotBinding {
        if let binding = bindings[name] { return binding }
        let binding = SlotBinding(owner, isVisible: isVisible, settings: settings, show: show)
        bindings[name] = binding
        return binding
    }

    /// Ends a sequence, because a single image replaces it.
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

    /// Adds the probe again if the program has removed all subviews, and the probe with them.
    private func keepWatching(_ view: PlatformView) {
        guard probe?.superview !== view else { return }
        let wasVisible = isVisible
        watch(view)
        guard isVisible != wasVisible else { return }
        for binding in bindings.values { binding.isVisible = isVisible }
    }

    private func setVisible(_ isVisible: Bool) {
        guard isVisible != self.isVisible else { return }
        self.isVisible = isVisible
        for binding in bindings.values { binding.isVisible = isVisible }
    }
}
#endif
