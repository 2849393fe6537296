public import Foundation

extension ImageSlot {
    /// Loads and shows the image at `url`; see ``load(_:placeholder:)-(ImageRequest?,_)``.
    public func load(_ url: URL, placeholder: Placeholder? = nil) {
        load(ImageRequest(url: url), placeholder: placeholder)
    }

    /// Loads and shows the image of `source`, such as a URL; see ``load(_:placeholder:)-(ImageRequest?,_)``.
    public func load(_ source: (some ImageRequestConvertible)?, placeholder: Placeholder? = nil) {
        load(source?.imageRequest, placeholder: placeholder)
    }
}
