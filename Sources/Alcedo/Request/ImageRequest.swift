public import Foundation

/// What to load, and how.
///
/// Callers share a load when everything that selects the bytes is equal: source, method, headers, body, credentials,
/// cache policy and ``retriesFailed``. Their priorities may differ: the highest one counts.
public struct ImageRequest: Sendable, Hashable {
    package let source: Source
    /// How urgent it is among those that wait for a download. Default: normal.
    public var priority = RequestPriority.normal
    /// What is seldom asked for, in one piece, so that the common request is small to copy. nil: the defaults.
    private var options: OptionsBox?

    /// A request for an http, https, file or data URL. What is wrong with it is told when it is loaded.
    public init(url: URL) {
        source = .url(url)
    }

    /// A request for the URL that `text` spells.
    ///
    /// - Throws: ``ImageLoaderError/invalidURL(_:reason:)`` or ``ImageLoaderError/unsupportedScheme(_:)`` when it can't
    ///   be loaded.
    public init(_ text: String) throws(ImageLoaderError) {
        guard let url = URL(string: text, encodingInvalidCharacters: false) else {
            throw .invalidURL(text, reason: "it does not parse as a URL")
        }
        self.init(url: url)
        try validate()
    }

    /// A request for bytes in memory.
    ///
    /// - Parameters:
    ///   - data: a file's bytes, in a format that can be decoded.
    ///   - id: names the picture in the memory cache; two requests with one id are the same picture.
    public init(data: Data, id: String) {
        source = .provided(ProvidedBytes(id: id) { data })
    }

    /// A request for what `bytes` brings. It is called on no particular actor, once for all who ask for the picture of
    /// `id` meanwhile, and is cancelled with the last of them; nobody waits for it to notice that.
    /// ``ImageLoader/data(for:)`` calls it for each caller.
    ///
    /// - Parameters:
    ///   - id: names the picture in the memory cache; two requests with one id are the same picture.
    ///   - bytes: what it throws is told as ``ImageLoaderError/sourceFailed(_:)``.
    public init(id: String, bytes: @escaping @Sendable () async throws -> Data) {
        source = .provided(ProvidedBytes(id: id, fetch: bytes))
    }

    /// The URL, nil for bytes that the program provides.
    public var url: URL? { if case .url(let url) = source { url } else { nil } }

    /// Whether they load the same, whatever their priorities. Provided bytes are compared by their id.
    public static func == (left: Self, right: Self) -> Bool {
        left.source == right.source && (left.options === right.options || left.values == right.values)
    }

    /// Hashes only the source, because requests for one source rarely differ otherwise.
    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

extension ImageRequest {
    /// Default: GET. Others than GET are neither resumed nor, unless they are idempotent, retried.
    public var method: HTTPMethod {
        get { values.method }
        set { change { $0.method = newValue } }
    }

    /// Fields sent with this request; they take the place of the loader's of the same name. All of them select what is
    /// loaded, but for those that only trace requests (`traceparent`, `tracestate`, `X-Request-ID`). A `Range` brings
    /// the part that the server sends for it, and is not resumed. Default: none.
    public var headers: HTTPHeaders {
        get { values.headers }
        set { change { $0.headers = newValue } }
    }

    /// What is sent after the head. Default: nothing.
    public var body: Data? {
        get { values.body }
        set { change { $0.body = newValue } }
    }

    /// User name and password, sent as Basic authentication without being asked for; a redirect to another origin does
    /// not take them along. Default: those in the URL, if any.
    public var credentials: Credentials? {
        get { values.credentials }
        set { change { $0.credentials = newValue } }
    }

    /// Default: ``CachePolicy/useCaches``.
    public var cachePolicy: CachePolicy {
        // Asked for on the way to a memory hit.
        get { options?.values.cachePolicy ?? .useCaches }
        set { change { $0.cachePolicy = newValue } }
    }

    /// Whether to ask again although it failed a short while ago; see
    /// ``DownloadCoordinator/Settings/failureLifetimes``. Such a request shares no load with one that does not
    /// set it, as that may end with the remembered failure. Default: no.
    public var retriesFailed: Bool {
        get { options?.values.retriesFailed ?? false }
        set { change { $0.retriesFailed = newValue } }
    }

    /// Loaded in its place, in order, when it fails; each is a request of its own with the same options, but that
    /// credentials and secret fields (see ``RedirectPolicy``) are not sent to another origin. The error of the last one
    /// is thrown. For ``FailureLifetimes/withCachedFallback`` after a failure, a cached fallback answers without asking
    /// the failed URL again. Default: none.
    public var fallbacks: [URL] {
        get { options?.values.fallbacks ?? [] }
        set { change { $0.fallbacks = newValue } }
    }

    /// The size that the upright picture is scaled to, in pixels. Default: nil, which leaves it as it is.
    ///
    /// By default the picture is the largest of its shape that fits inside, and it is never scaled up; ``contentMode``
    /// and ``allowsUpscaling`` change that. The size is exact unless ``roundsTargetSize`` is set. Where the format
    /// allows it, the picture is scaled while it is decoded. A side below 1 is
    /// ``ImageLoaderError/unsupportedConfiguration(_:)``.
    ///
    /// All sizes of one picture share its download and its bytes on disk.
    public var targetSize: PixelSize? {
        get { options?.values.targetSize }
        set { change { $0.targetSize = newValue } }
    }

    /// How the picture takes the room of ``targetSize``. Default: ``DecodeTarget/ContentMode/fit``.
    public var contentMode: DecodeTarget.ContentMode {
        get { options?.values.contentMode ?? .fit }
        set { change { $0.contentMode = newValue } }
    }

    /// Whether a picture that is smaller than ``targetSize`` is scaled up. Default: no.
    public var allowsUpscaling: Bool {
        get { options?.values.allowsUpscaling ?? false }
        set { change { $0.allowsUpscaling = newValue } }
    }

    /// Whether ``targetSize`` is rounded, so that requests of similar sizes share one picture. Default: no.
    ///
    /// Sides are rounded to a multiple of 8 pixels, and from 256 pixels on of a sixteenth of the largest power of two
    /// that is no larger: down for ``DecodeTarget/ContentMode/fit``, so that the picture still fits inside, and up for
    /// the other modes, so that it still fills the size. A crop of 402 × 300 pixels is then 416 × 304. Sides below 8
    /// are not rounded down.
    public var roundsTargetSize: Bool {
        get { options?.values.roundsTargetSize ?? false }
        set { change { $0.roundsTargetSize = newValue } }
    }

    /// Whether an animation is loaded as one, or its first frame as a still picture. Default:
    /// ``DecodeRequest/Frames/all``.
    public var frames: DecodeRequest.Frames {
        get { options?.values.frames ?? .all }
        set { change { $0.frames = newValue } }
    }

    /// Whether colours are converted to sRGB; see ``DecodeRequest/convertsToSRGB``. Default: no.
    public var convertsToSRGB: Bool {
        get { options?.values.convertsToSRGB ?? false }
        set { change { $0.convertsToSRGB = newValue } }
    }

    /// Which pictures in memory serve ``targetSize``. Default: ``Precision/exact``.
    public var precision: Precision {
        // Asked for on the way to a memory hit.
        get { options?.values.precision ?? .exact }
        set { change { $0.precision = newValue } }
    }

    /// Names that the picture can be removed from memory and disk by, besides its URL. Callers who share a load share
    /// the first one's tags, and a picture that is cached already keeps its own. Default: none.
    public var tags: Set<String> {
        get { values.tags }
        set { change { $0.tags = newValue } }
    }

    /// How long the picture is found in memory and on disk, counted from when it was stored there; on disk to the
    /// second, and at least one. Zero or less: it is kept in neither. Default: nil, which leaves it to
    /// ``MemoryCache/Settings/timeToLive`` and ``DiskStore/Settings/timeToLive``; the latter counts from the last use,
    /// and holds beside this one. Callers who share a load share the first one's time, and what is cached already keeps
    /// its own.
    public var timeToLive: Duration? {
        get { values.timeToLive }
        set { change { $0.timeToLive = newValue } }
    }

    /// Which pictures in memory serve a target size.
    public enum Precision: String, Sendable, Hashable, CaseIterable {
        /// Those that were scaled for it.
        case exact
        /// Larger ones of the same source too; the picture is handed out as large as it is.
        case atLeast
    }

    /// A user name and a password.
    public struct Credentials: Sendable, Hashable {
        /// Without a colon, which ends it (RFC 7617).
        public var user: String
        /// In UTF-8.
        public var password: String

        /// This user, with this password.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    var hasDefaultOptions: Bool { options == nil }

    /// Whether nothing but its source selects the bytes. On the way to a memory hit.
    var isPlainGET: Bool { options?.isPlainGET ?? true }

    /// Whether a failure of a short while ago is no answer.
    var asksAnew: Bool { retriesFailed || cachePolicy == .reload || cachePolicy == .bypass }

    /// This request, for another URL and without further ones.
    ///
    /// - Parameter secretFields: names of header fields that, like credentials, are not sent to another origin.
    func fallingBack(to url: URL, without secretFields: [String]) -> ImageRequest {
        var next = ImageRequest(url: url)
        next.priority = priority
        next.options = options
        next.fallbacks = []
        if self.url?.origin != url.origin, !hasDefaultOptions {
            next.credentials = nil
            for name in secretFields { next.headers[name] = nil }
        }
        return next
    }

    private struct Options: Hashable, Sendable {
        var method = HTTPMethod.get
        var headers: HTTPHeaders = [:]
        var body: Data?
        var credentials: Credentials?
        var cachePolicy = CachePolicy.useCaches
        var retriesFailed = false
        var fallbacks: [URL] = []
        var targetSize: PixelSize?
        var contentMode = DecodeTarget.ContentMode.fit
        var allowsUpscaling = false
        var roundsTargetSize = false
        var frames = DecodeRequest.Frames.all
        var convertsToSRGB = false
        var precision = Precision.exact
        var tags: Set<String> = []
        var timeToLive: Duration?
    }

    private final class OptionsBox: Sendable {
        let values: Options
        let isPlainGET: Bool

        init(_ values: Options) {
            self.values = values
            // Most requests with options only set a size.
            isPlainGET =
                values.method == .get && values.headers.isEmpty && values.body == nil && values.credentials == nil
        }
    }

    private var values: Options { options?.values ?? Options() }

    private mutating func change(_ edit: (inout Options) -> Void) {
        var values = values
        edit(&values)
        options = values == Options() ? nil : OptionsBox(values)
    }
}

extension ImageRequest {
    /// Where the bytes come from.
    package enum Source: Sendable, Hashable {
        case url(URL)
        case provided(ProvidedBytes)
    }

    /// Bytes that the program brings.
    package final class ProvidedBytes: Sendable, Hashable {
        package let id: String
        package let fetch: @Sendable () async throws -> Data

        init(id: String, fetch: @escaping @Sendable () async throws -> Data) {
            self.id = id
            self.fetch = fetch
        }

        package static func == (left: ProvidedBytes, right: ProvidedBytes) -> Bool { left.id == right.id }
        package func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    package func validate() throws(ImageLoaderError) {
        if let size = targetSize, size.width < 1 || size.height < 1 {
            throw .unsupportedConfiguration("a target size of \(size) pixels")
        }
        guard case .url(let url) = source else { return }
        if url.isWebURL {
            try url.requireHost()
        } else if url.isFileURL {
            guard ["", "localhost"].contains(url.host?.lowercased() ?? "") else {
                throw .invalidURL(url.absoluteString, reason: "a file URL of another host")
            }
            guard !url.path.isEmpty else { throw .invalidURL(url.absoluteString, reason: "it has no path") }
            // One against the directory the program happens to run in would be another file each time.
            guard url.path.hasPrefix("/") else { throw .invalidURL(url.absoluteString, reason: "its path is relative") }
        } else if url.scheme?.lowercased() != "data" {
            try url.requireWebURL()
        }
    }
}

extension URL {
    /// Throws unless this is an absolute http or https URL with a host.
    package func requireWebURL() throws(ImageLoaderError) {
        guard let scheme, !scheme.isEmpty else {
            throw .invalidURL(absoluteString, reason: "it has no scheme, such as https: or file:")
        }
        guard ["http", "https"].contains(scheme.lowercased()) else { throw .unsupportedScheme(scheme) }
        try requireHost()
    }

    /// Whether it begins as nearly all http and https URLs do; much cheaper than to ask for its scheme.
    var isWebURL: Bool {
        let text = absoluteString
        return text.hasPrefix("https://") || text.hasPrefix("http://")
    }

    fileprivate func requireHost() throws(ImageLoaderError) {
        guard let host, !host.isEmpty else { throw .invalidURL(absoluteString, reason: "it has no host") }
        guard (0...65_535).contains(port ?? 0) else {
            throw .invalidURL(absoluteString, reason: "a port is at most 65535")
        }
    }
}
