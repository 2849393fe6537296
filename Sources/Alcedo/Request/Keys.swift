package import Foundation

/// Names the bytes that a server sends: what one download, one disk entry and all pictures made of them share.
package struct ResourceKey: Hashable, Sendable {
    /// The absolute URL without its fragment, which is never sent.
    package let text: String
    /// Computed once, as a key is looked up in several tables.
    private let fold: UInt64

    package init(_ url: URL) {
        self.init(text: url.absoluteString)
    }

    package init(text: String) {
        let text = Fold.contains(UInt8(ascii: "#"), in: text) ? String(text.prefix { $0 != "#" }) : text
        self.text = text
        self.fold = Fold.ofProcess(text)
    }

    package static func == (left: Self, right: Self) -> Bool {
        // The fold alone would let someone who chooses URLs pass one picture off as another.
        left.fold == right.fold && left.text == right.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(fold) }
}

/// Names a picture as it is handed out: what one image flight and one memory entry are found by.
package struct ImageKey: Hashable, Sendable {
    package let resource: ResourceKey

    package init(_ request: ImageRequest) {
        resource = ResourceKey(request.url)
    }
}
