public import Foundation

/// Identifies an image in the caches: its source, everything else that selects its bytes, and its variant.
///
/// ``ImageLoader/key(for:)-(ImageRequest)`` makes the key that a loader uses, which includes the loader's scope:
///
/// - the settings that select bytes: header fields, ``CacheKeyPolicy`` and ``NetworkPolicy``, and the identities of the
///   hooks ``DownloadCoordinator/Settings/prepare`` and ``DownloadCoordinator/Settings/authenticate``;
/// - the settings that select pixels: the decoders, ``DecodeSettings/oversized``, and
///   ``ImageLoader/Configuration/processors``, which run before those of each request.
///
/// Loaders that differ in settings of the first kind never find each other's images, in memory or on disk. Loaders that
/// differ only in settings of the second kind share the bytes on disk. The initializers make the key for a loader with
/// the default configuration.
public struct ImageKey: Hashable, Sendable {
    package let resource: ResourceKey
    /// The variant made from the bytes.
    package let variant: ImageVariant

    /// Creates the key of `request` for a loader with the default configuration.
    public init(_ request: borrowing ImageRequest) { self.init(request, in: .empty) }

    /// Creates the key of the unchanged image at `url` for a loader with the default configuration.
    public init(_ url: URL) { self.init(url, in: .empty) }

    package init(_ request: borrowing ImageRequest, in scope: borrowing KeyScope) {
        self.init(ResourceKey(request, in: scope), ImageVariant(request, in: scope))
    }

    package init(_ url: borrowing URL, in scope: borrowing KeyScope) {
        if scope.keys != nil {
            self.init(ImageRequest(url: copy url), in: scope)
        } else {
            self.init(ResourceKey(url, in: scope), scope.variant)
        }
    }

    package init(_ resource: ResourceKey, _ variant: ImageVariant = ImageVariant()) {
        self.resource = resource
        self.variant = variant
    }

    /// The URL in its normal form (see <doc:URLs>) without its fragment, or the key that replaces it, from
    /// ``ImageRequest/cacheKey`` or a ``CacheKeyPolicy``; nil for bytes provided by the program.
    public var url: String? { id == nil ? resource.text : nil }

    /// The id of bytes provided by the program; nil for a URL.
    public var id: String? { resource.providedID }

    /// The key of the bytes as received, which all sizes of the image share.
    public var original: ImageKey { ImageKey(resource) }

    public func hash(into hasher: inout Hasher) { hasher.combine(resource.prehash ^ variant.prehash) }
}

/// Groups keys by resource, so that a cache finds all its variants together.
extension ImageKey: GroupedKey {
    package var group: ResourceKey { resource }
}

/// The part of a loader's keys that is derived from its settings. Empty by default.
package struct KeyScope: Hashable, Sendable {
    /// The settings that select the bytes of every request, as text; see ``ImageKey``.
    package let resource: String
    /// The hash of ``resource``; zero if that is empty.
    let resourceHash: UInt64
    /// The variant of a request without options: the loader's decoders and processors.
    let variant: ImageVariant
    /// The policy that makes keys; nil if the key is the URL.
    package let keys: CacheKeyPolicy?

    /// The scope of the default configuration.
    static let empty = KeyScope()

    /// Creates an empty scope. All values are constant, so that the compiler initializes ``empty``.
    init() { (resource, resourceHash, variant, keys) = ("", 0, ImageVariant(), nil) }

    package init(
        resource: String = "", decoding: UInt64 = 0, processing: ProcessingChain? = nil, keys: CacheKeyPolicy? = nil
    ) {
        variant = ImageVariant(decoding: decoding, processing)
        self.keys = keys
        self.resource = resource
        resourceHash = resource.isEmpty ? 0 : FastHash.ofProcess(resource)
    }
}
