// The states, pictures and settings of a slot.

extension ImageSlot {
    /// The state of a slot's load.
    public enum Phase: Sendable {
        /// There is no request, or its load was cancelled before there was a picture.
        case empty
        /// The picture is being loaded.
        case loading(Loading)
        /// The picture is there.
        ///
        /// A better one may follow: ``ImageResponse/isStale`` and ``ImageResponse/isLowResolution`` say so, and
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
        /// The number of bytes in total; nil if the server hasn't said.
        public internal(set) var expectedBytes: Int?
        /// The latest preview; nil before the first, and if ``Settings/showsPreviews`` is false.
        public internal(set) var preview: ImagePreview?

        /// The share of the bytes received so far, from 0 to 1; nil if the total isn't known.
        public var fraction: Double? {
            expectedBytes.flatMap { $0 > 0 ? min(1, Double(receivedBytes) / Double($0)) : nil }
        }
    }

    /// The picture that a view should draw.
    public enum Picture: Sendable {
        /// Nothing.
        case none
        /// A stand-in for a picture that isn't there yet, or can't be loaded.
        case placeholder(Placeholder)
        /// The part of the picture that has arrived.
        case preview(ImagePreview)
        /// The picture, or the previous one with ``Settings/keepsCurrent``.
        case image(DecodedImage)

        /// The picture's pixels; nil for nothing. A placeholder makes them each time.
        public var bitmap: Bitmap? {
            switch self {
            case .none: nil
            case .placeholder(let placeholder): placeholder.bitmap
            case .preview(let preview): preview.bitmap
            case .image(let image): image.bitmap
            }
        }

        /// The image, if this is one.
        public var image: DecodedImage? { if case .image(let image) = self { image } else { nil } }

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    /// The picture that a view should draw, and how it came.
    public struct Shown: Sendable {
        /// The picture to draw.
        public internal(set) var picture = Picture.none
        /// Whether the change from the previous picture should be animated; see ``Settings/transition``.
        public internal(set) var isTransition = false
        /// Counts the changes of the picture, so that a view knows whether to draw again.
        public internal(set) var number = 0
    }

    /// When a change to a loaded image should be animated.
    public enum Transition: String, Sendable, Hashable, CaseIterable {
        /// Never.
        case never
        /// When the image had to be loaded, so that images in memory appear at once.
        case unlessFromMemory
        /// Always.
        case always
    }

    /// The placeholders of a slot, and how it loads.
    public struct Settings: Sendable {
        /// Shown until there is a picture, unless `load` is called with another one. Default: nil.
        public var placeholder: Placeholder?
        /// How long a load must take before the placeholder is shown. Default: zero, which shows it at once.
        ///
        /// With `.seconds(.max)`, for example, the placeholder appears only after the load has failed.
        public var placeholderDelay = Duration.zero
        /// Shown when the load has failed. Default: nil, which shows the placeholder.
        ///
        /// It replaces the picture of another request that is kept, but no picture of the same request, such as a
        /// stale one. ``placeholder`` replaces neither.
        public var failurePlaceholder: Placeholder?
        /// Whether the picture of the previous request stays until there is another one. Default: false.
        public var keepsCurrent = false
        /// Whether previews are shown while the image is downloaded, but not over an older image of the same request.
        /// Default: false, because they cost CPU time.
        public var showsPreviews = false
        /// Whether a stale image from a cache is shown until the server has confirmed it or sent another one. Default:
        /// false.
        public var showsStale = false
        /// The shortest time that a picture is shown before another one of the same request replaces it. Default:
        /// zero.
        ///
        /// Prevents flicker: a placeholder or a preview isn't replaced after a few milliseconds. Previews that arrive
        /// meanwhile are skipped.
        public var minimumInterval = Duration.zero
        /// When ``Shown/isTransition`` is set for a loaded image. Default: ``Transition/unlessFromMemory``.
        public var transition = Transition.unlessFromMemory
        /// The priority of the load while ``ImageSlot/isVisible`` is false. A visible slot's load has the request's.
        /// Default: low.
        public var hiddenPriority = RequestPriority.low
        /// Retries a load that failed because of the connection. Default: nil.
        public var connectivity: Connectivity?

        /// The default settings.
        public init() {}
    }
}
