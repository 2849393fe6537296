// The states, contents and settings of a slot.

extension ImageSlot {
    /// The state of a slot's load.
    public enum Phase: Sendable {
        /// There is no request, or its load was cancelled before it had an image.
        case empty
        /// The image is being loaded.
        case loading(Loading)
        /// The image has been loaded.
        ///
        /// A better image may follow if ``ImageResponse/isStale`` or ``ImageResponse/isLowResolution`` is true.
        /// ``ImageSlot/isLoading`` is true until then.
        case success(ImageResponse)
        /// The load failed. Never ``ImageLoaderError/cancelled``.
        case failure(ImageLoaderError)

        /// The response, if there is one.
        public var response: ImageResponse? { if case .success(let response) = self { response } else { nil } }

        /// The error, if the load failed.
        public var error: ImageLoaderError? { if case .failure(let error) = self { error } else { nil } }
    }

    /// The progress of a load.
    public struct Loading: Sendable {
        /// The number of bytes received so far.
        public internal(set) var receivedBytes = 0
        /// The total number of bytes; nil if the server hasn't announced it.
        public internal(set) var expectedBytes: Int?
        /// The latest preview; nil before the first, and if ``Settings/showsPreviews`` is false.
        public internal(set) var preview: ImagePreview?

        /// The share of the bytes received so far, from 0 to 1; nil if the total isn't known.
        public var fraction: Double? {
            expectedBytes.flatMap { $0 > 0 ? min(1, Double(receivedBytes) / Double($0)) : nil }
        }
    }

    /// The content that a view should draw: a placeholder, a preview or an image.
    public enum Picture: Sendable {
        /// Nothing.
        case none
        /// A stand-in for an image that hasn't arrived yet, or can't be loaded.
        case placeholder(Placeholder)
        /// The part of the image that has arrived.
        case preview(ImagePreview)
        /// The image, or the previous one with ``Settings/keepsCurrent``.
        case image(DecodedImage)

        /// The pixels to draw; nil for `none`. A placeholder creates them each time.
        public var bitmap: Bitmap? {
            switch self {
            case .none: nil
            case .placeholder(let placeholder): placeholder.bitmap
            case .preview(let preview): preview.bitmap
            case .image(let image): image.bitmap
            }
        }

        /// The image, if there is one to draw.
        public var image: DecodedImage? { if case .image(let image) = self { image } else { nil } }

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    /// The content that a view should draw, and how it replaces the previous content.
    public struct Shown: Sendable {
        /// The content to draw.
        public internal(set) var picture = Picture.none
        /// Whether the change from the previous content should be animated; see ``Settings/transition``.
        public internal(set) var isTransition = false
        /// Counts the changes of the content, so that a view knows whether to draw again.
        public internal(set) var number = 0
    }

    /// The condition for animating the change to a loaded image.
    public enum Transition: String, Sendable, Hashable, CaseIterable {
        /// Never.
        case never
        /// When the image had to be loaded, so that images in memory appear immediately.
        case unlessFromMemory
        /// Always.
        case always
    }

    /// The settings of a slot: its placeholders, and the way it loads and shows images.
    public struct Settings: Sendable {
        /// The placeholder shown until there is an image, unless another one is passed to `load`. Default: nil.
        public var placeholder: Placeholder?
        /// The time that a load must take before the placeholder is shown. Default: zero, which shows it immediately.
        ///
        /// With `.seconds(.max)`, for example, the placeholder appears only after the load has failed.
        public var placeholderDelay = Duration.zero
        /// The placeholder shown when the load has failed. Default: nil, which shows ``placeholder``.
        ///
        /// It replaces the image kept from another request, but no image of the same request, such as a stale one.
        /// ``placeholder`` replaces neither.
        public var failurePlaceholder: Placeholder?
        /// Whether the image of the previous request stays until another one replaces it. Default: false.
        public var keepsCurrent = false
        /// Whether previews are shown while the image is downloaded, but not over an older image of the same request.
        /// Default: false, because they cost CPU time.
        public var showsPreviews = false
        /// Whether a stale image from a cache is shown until the server has confirmed it or sent another one. Default:
        /// false.
        public var showsStale = false
        /// The minimum time for which content is shown before other content of the same request replaces it. Default:
        /// zero.
        ///
        /// Prevents flicker: a placeholder or a preview isn't replaced after a few milliseconds. Previews that arrive
        /// in the meantime are skipped.
        public var minimumInterval = Duration.zero
        /// The condition for setting ``Shown/isTransition`` for a loaded image. Default:
        /// ``Transition/unlessFromMemory``.
        public var transition = Transition.unlessFromMemory
        /// The priority of the load while ``ImageSlot/isVisible`` is false. A visible slot's load has the request's
        /// priority. Default: low.
        public var hiddenPriority = RequestPriority.low
        /// The object that retries loads that failed because of the connection. Default: nil.
        public var connectivity: Connectivity?

        /// Creates default settings.
        public init() {}
    }
}
