public import Foundation

/// An image to load, and how to load it.
///
/// Callers share a load if everything that selects the bytes is equal: source, method, headers, body, credentials,
/// cache policy and ``retriesFailed``. Their priorities may differ; the highest one counts.
public struct ImageRequest: Sendable, Hashable {
    /// One object, so that a request is cheap to copy.
    let origin: Origin
    /// The priority among waiting downloads. Default: normal.
    public var priority = RequestPriority.normal
    /// Everything else. Small, so that a request is cheap to copy.
    var choices = Choices.none

    /// Creates a request for an http, https, file or data URL.
    ///
    /// The URL is parsed as browsers do, and all its spellings identify the same image. ``url`` is its normal form; see
    /// <doc:URLs>. An invalid URL is reported when the request is loaded.
    public init(url: URL) { origin = Origin(url) }

    /// Creates a request for a URL whose response is cached under a custom key.
    ///
    /// Use a key for URLs that change although the image doesn't. Requests with the same key count as the same: they
    /// share downloads, and the response to one answers the others. A key that is a URL is the key of that URL.
    ///
    /// - Parameters:
    ///   - url: An http, https, file or data URL.
    ///   - cacheKey: The key. It must not be empty or begin with a null character. An http or https URL is converted to
    ///     its normal form; any other text is used unchanged.
    public init(url: URL, cacheKey: String) {
        origin = Origin(url, cacheKey: cacheKey)
        if !ResourceKey.isCacheKey(cacheKey) { change { $0.isImpossible = true } }
    }

    /// Creates a request for the URL in `text`, parsed as browsers do; see <doc:URLs>.
    ///
    /// Surrounding spaces are ignored, and characters that aren't allowed in URLs are encoded.
    ///
    /// - Throws: ``ImageLoaderError/invalidURL(_:reason:)`` or ``ImageLoaderError/unsupportedScheme(_:)`` if the URL
    ///   can't be loaded.
    public init(_ text: String) throws(ImageLoaderError) {
        do throws(URLFault) {
            origin = Origin(try ParsedURL(text))
        } catch {
            throw ImageLoaderError(error, of: text)
        }
    }

    package var source: Source { origin.source }

    /// The URL in its normal form, or unchanged if it can't be loaded; nil for bytes or an image that the program
    /// provides.
    public var url: URL? { if case .url(let url) = source { url.url } else { nil } }

    /// Whether the source is on a web server.
    var isWeb: Bool { if case .url(let url) = source { url.isWeb } else { false } }

    /// The custom key under which the response is cached. Nil if it is cached under its URL, or under the key that a
    /// ``CacheKeyPolicy`` makes from the URL.
    public var cacheKey: String? { origin.hasOwnKey ? origin.text : nil }

    /// Whether two requests load the same image in the same way, whatever their priorities. Provided bytes and images
    /// are compared by their id.
    public static func == (left: Self, right: Self) -> Bool {
        (left.origin === right.origin
            || left.origin.prehash == right.origin.prehash && left.source == right.source
                && left.cacheKey == right.cacheKey)
            && (left.choices.areSame(as: right.choices) || left.values == right.values)
    }

    /// Hashes the source and the processors, because requests that agree in these rarely differ otherwise.
    public func hash(into hasher: inout Hasher) { hasher.combine(origin.prehash ^ (processing?.hash ?? 0)) }
}

extension ImageRequest: CustomStringConvertible {
    /// The method and the URL, without its user name and password; or the id of bytes or an image that the program
    /// provides.
    public var description: String {
        switch source {
        case .url(let url): "\(method.rawValue) \(url.url.withoutCredentials.absoluteString)"
        case .provided(let source): "provided \(source.isImage ? "image" : "bytes") \(source.id)"
        }
    }
}

extension ImageRequest {
    /// The HTTP method. Default: GET. Downloads with other methods are never resumed, and are retried only if the
    /// method is idempotent.
    public var method: HTTPMethod {
        get { box?.values.method ?? .get }
        set { change { $0.method = newValue } }
    }

    /// The header fields sent with this request. Default: none.
    ///
    /// They replace the loader's fields of the same name. All of them are part of the cache key, except those that
    /// trace requests (`traceparent`, `tracestate`, `X-Request-ID`) or control caches (`Cache-Control`, `Pragma`). With
    /// a `Range`, the part that the server sends is loaded; such a download isn't resumed.
    ///
    /// Fields about the connection and the length of the body are set by the transport. In a request, they throw
    /// ``ImageLoaderError/invalidHeader(name:)``: `Connection`, `Content-Length`, `Expect`, `Keep-Alive`,
    /// `Proxy-Connection`, `TE`, `Trailer`, `Transfer-Encoding` and `Upgrade`.
    public var headers: HTTPHeaders {
        get { box?.values.headers ?? [:] }
        set { change { $0.headers = newValue } }
    }

    /// The request's body. Default: nil.
    public var body: Data? {
        get { box?.values.body }
        set { change { $0.body = newValue } }
    }

    /// The user name and password, sent with the first request as Basic authentication.
    ///
    /// A redirect to another origin doesn't receive them. Default: those in the URL, if any.
    public var credentials: Credentials? {
        get { box?.values.credentials }
        set { change { $0.credentials = newValue } }
    }

    /// Whether to ask the server even if a recent failure is remembered; see
    /// ``DownloadCoordinator/Settings/failureLifetimes``.
    ///
    /// Such a request doesn't share a load with one that doesn't set this, because that load may end with the
    /// remembered failure. Default: false.
    public var retriesFailed: Bool {
        get { box?.values.retriesFailed ?? false }
        set { change { $0.retriesFailed = newValue } }
    }

    /// The URLs to try, in order, if this one fails. Default: none.
    ///
    /// Each is requested with the same options, except that credentials and the fields of ``RedirectPolicy`` are not
    /// sent to another origin. If all fail, the error of the last one is thrown. For
    /// ``FailureLifetimes/withCachedFallback`` after a failure, a cached fallback answers without asking the failed URL
    /// again.
    public var fallbacks: [URL] {
        get { box?.values.fallbacks ?? [] }
        set { change { $0.fallbacks = newValue } }
    }

    /// The URL of a smaller version of the image. An ``ImageSlot`` and ``ImageLoader/responses(for:)-(ImageRequest)``
    /// show it while the image is being loaded; other functions ignore it.
    ///
    /// It is requested when the download of the image begins, with the same options. It is left out if it fails or
    /// takes longer than the image. It is also left out for a ``region``, which is measured in the pixels of the image.
    /// Credentials and the fields of ``RedirectPolicy`` are not sent to another origin. Default: nil.
    public var lowResolution: URL? {
        get { box?.values.lowResolution }
        set { change { $0.lowResolution = newValue } }
    }

    /// The size in pixels that the upright image is scaled to. Default: nil, which doesn't scale.
    ///
    /// By default, the result is the largest size with the image's aspect ratio that fits inside, and images are never
    /// scaled up; ``contentMode`` and ``allowsUpscaling`` change that. The size is exact unless ``roundsTargetSize`` is
    /// set. If the format allows it, the image is scaled while it is decoded. A side below 1 throws
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    ///
    /// All sizes of an image share its download and its bytes on disk.
    public var targetSize: PixelSize? {
        get { box?.values.targetSize }
        set { change { $0.targetSize = newValue } }
    }

    /// The part of the upright image to load, in its pixels. Pixels outside the image are left out. Default: nil, the
    /// whole image.
    ///
    /// The part is scaled to ``targetSize`` like a whole image, and cached separately. From JPEG, PNG, WebP, BMP and
    /// TIFF, only the pixels of the part are held in memory, and the rows below it aren't decoded, except in WebP.
    /// Interlaced PNG, run-length encoded BMP and all other formats are decoded completely, and so are previews. A
    /// progressive JPEG needs all its coefficients in any case. A part that lies outside the image throws
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    public var region: PixelRectangle? {
        get { box?.values.region }
        set { change { $0.region = newValue } }
    }

    /// The way the image fills ``targetSize``. Default: ``DecodeTarget/ContentMode/fit``.
    public var contentMode: DecodeTarget.ContentMode {
        get { box?.values.contentMode ?? .fit }
        set { change { $0.contentMode = newValue } }
    }

    /// The part that ``DecodeTarget/ContentMode/crop`` keeps. Default: ``CropAnchor/center``.
    public var cropAnchor: CropAnchor {
        get { box?.values.cropAnchor ?? .center }
        set { change { $0.cropAnchor = newValue } }
    }

    /// Whether an image that is smaller than ``targetSize`` is scaled up. Default: false.
    public var allowsUpscaling: Bool {
        get { box?.values.allowsUpscaling ?? false }
        set { change { $0.allowsUpscaling = newValue } }
    }

    /// Whether ``targetSize`` is rounded, so that requests with similar sizes share one image. Default: false.
    ///
    /// Sides are rounded to a multiple of 8 pixels; from 256 pixels, to a multiple of a sixteenth of the largest power
    /// of two that isn't larger. They are rounded down for ``DecodeTarget/ContentMode/fit``, so that the image still
    /// fits inside, and up for the other modes, so that it still fills the size. For example, a crop of 402 × 300
    /// pixels becomes 416 × 304. Sides below 8 aren't rounded down.
    public var roundsTargetSize: Bool {
        get { box?.values.roundsTargetSize ?? false }
        set { change { $0.roundsTargetSize = newValue } }
    }

    /// Whether an animation is loaded with all frames, or its first frame as a still image.
    ///
    /// Default: ``DecodeRequest/Frames/all``.
    public var frames: DecodeRequest.Frames {
        get { box?.values.frames ?? .all }
        set { change { $0.frames = newValue } }
    }

    /// Whether colors are converted to sRGB; see ``DecodeRequest/convertsToSRGB``. Default: false.
    public var convertsToSRGB: Bool {
        get { box?.values.convertsToSRGB ?? false }
        set { change { $0.convertsToSRGB = newValue } }
    }

    /// Whether the image comes with its ``DecodedImage/metadata``, such as when and where it was taken. Default: false.
    ///
    /// Images with and without metadata are separate entries in memory. On disk, an image with metadata is stored as
    /// the downloaded bytes, whatever ``DiskContents`` says.
    public var keepsMetadata: Bool {
        get { box?.values.keepsMetadata ?? false }
        set { change { $0.keepsMetadata = newValue } }
    }

    /// The images in memory that serve ``targetSize``. Default: ``Precision/exact``.
    public var precision: Precision {
        // Read on the path of a memory hit.
        get { box?.values.precision ?? .exact }
        set { change { $0.precision = newValue } }
    }

    /// Tags by which the image can be removed from memory and disk. Default: none.
    ///
    /// Callers that share a load share the first caller's tags. An image that is already cached keeps its own.
    public var tags: Set<String> {
        get { box?.values.tags ?? [] }
        set { change { $0.tags = newValue } }
    }

    /// The time for which the image is found in memory and on disk after it was stored.
    ///
    /// On disk, the time is rounded to seconds and is at least one second. With zero or less, the image is stored in
    /// neither cache. With nil, the default, ``MemoryCache/Settings/timeToLive`` and ``DiskStore/Settings/timeToLive``
    /// apply; the latter counts from the last use, and applies in addition to this one. Callers that share a load share
    /// the first caller's value. An image that is already cached keeps its own.
    public var timeToLive: Duration? {
        get { box?.values.timeToLive }
        set { change { $0.timeToLive = newValue } }
    }

    /// The images in memory that serve a target size.
    public enum Precision: String, Sendable, Hashable, CaseIterable {
        /// Only images scaled to that size.
        case exact
        /// In addition, larger images from the same source, returned at their own size.
        case atLeast
    }

    /// A user name and a password.
    public struct Credentials: Sendable, Hashable {
        /// The user name. It can't contain a colon, which would end it (RFC 7617).
        public var user: String
        /// The password, sent in UTF-8.
        public var password: String

        /// Creates the credentials of a user.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    var hasDefaultOptions: Bool { if case .none = choices { true } else { false } }

    /// Whether only the source selects the bytes. Read on the path of a memory hit.
    var isPlainGET: Bool { box?.isPlainGET ?? true }

    /// The variant that the built-in decoders make from the bytes.
    var variant: ImageVariant {
        switch choices {
        case .none: ImageVariant()
        case .processors(let chain): ImageVariant(chain)
        case .options(let box): box.variant
        }
    }

    /// Returns this request for another URL, without fallbacks or a smaller version.
    ///
    /// - Parameter fieldsOfOrigin: Names of header fields that, like credentials, are not sent to another origin.
    func fallingBack(to url: URL, without fieldsOfOrigin: [String]) -> ImageRequest {
        var next = ImageRequest(url: url)
        next.priority = priority
        next.choices = choices
        next.fallbacks = []
        next.lowResolution = nil
        next.change { $0.isImpossible = false }
        if self.url?.origin != url.origin, !hasDefaultOptions {
            next.change { ($0.credentials, $0.headers) = (nil, $0.headers.without(fieldsOfOrigin)) }
        }
        return next
    }
}
