#if canImport(UIKit) && !os(watchOS)
public import Alcedo
public import Foundation
public import UIKit

extension UIImageView {
    /// Loads images into this view: `imageView.alcedo.setImage(with: url)`.
    public var alcedo: ViewSlot<UIImageView> { ViewSlot(self) { $0.image = $1 } }
}

extension ViewSlot where Owner: UIImageView {
    /// The place for the image that the view shows while it is highlighted.
    public var highlighted: ViewSlot<Owner> { ViewSlot(owner, named: "highlighted") { $0.highlightedImage = $1 } }

    /// Loads the image that the view shows while it is highlighted; see
    /// ``setImage(with:placeholder:settings:onChange:)-(ImageRequest?,_,_,_)``.
    public func setHighlightedImage(
        with request: ImageRequest?, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        highlighted.setImage(with: request, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Loads the image that the view shows while it is highlighted from `source`, such as a URL; see
    /// ``setHighlightedImage(with:placeholder:settings:onChange:)-(ImageRequest?,_,_,_)``.
    public func setHighlightedImage(
        with source: (some ImageRequestConvertible)?, placeholder: Placeholder? = nil,
        settings: ViewImageSettings = ViewImageSettings(), onChange: (@MainActor (ImageSlot) -> Void)? = nil
    ) {
        setHighlightedImage(
            with: source?.imageRequest, placeholder: placeholder, settings: settings, onChange: onChange)
    }

    /// Loads several images, and shows them one after another when all have arrived.
    ///
    /// They become the view's `animationImages`. Images that can't be loaded are left out. A new call, ``cancelAll()``,
    /// or the view's release ends the loads.
    ///
    /// - Parameters:
    ///   - requests: The images in order.
    ///   - secondsPerImage: The time for which each image is shown. Default: 1/30.
    ///   - loader: The loader of the images.
    ///   - limit: The maximum number of images loaded at a time. At least 1. Default: 12.
    ///   - onEnd: Called when the view shows the images, with the errors of the missing ones by index.
    public func setAnimationImages(
        with requests: [ImageRequest], secondsPerImage: Double = 1.0 / 30, loader: ImageLoader = .shared,
        limit: Int = 12, onEnd: (@MainActor (_ errors: [Int: ImageLoaderError]) -> Void)? = nil
    ) {
        let store = SlotStore.of(owner)
        store.stopSequence = { [weak owner] in
            owner?.stopAnimating()
            owner?.animationImages = nil
        }
        store.sequence = Task { [weak owner] in
            var images: [UIImage] = []
            var errors: [Int: ImageLoaderError] = [:]
            for await element in loader.images(for: requests, order: .asRequested, limit: limit) {
                switch element.result {
                case .success(let response): if let image = response.image.uiImage { images.append(image) }
                case .failure(let error): errors[element.index] = error
                }
            }
            guard let owner, !Task.isCancelled else { return }
            owner.animationImages = images
            owner.animationDuration = Double(images.count) * secondsPerImage
            owner.startAnimating()
            onEnd?(errors)
        }
    }

    /// Loads several images, and shows them one after another; see
    /// ``setAnimationImages(with:secondsPerImage:loader:limit:onEnd:)-([ImageRequest],_,_,_,_)``.
    public func setAnimationImages(
        with urls: [URL], secondsPerImage: Double = 1.0 / 30, loader: ImageLoader = .shared, limit: Int = 12,
        onEnd: (@MainActor (_ errors: [Int: ImageLoaderError]) -> Void)? = nil
    ) {
        setAnimationImages(
            with: urls.map { ImageRequest(url: $0) }, secondsPerImage: secondsPerImage, loader: loader, limit: limit,
            onEnd: onEnd)
    }
}
#endif
