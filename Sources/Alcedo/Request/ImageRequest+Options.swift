import Foundation

extension ImageRequest {
    struct Options: Hashable, Sendable {
        var method = HTTPMethod.get
        var headers: HTTPHeaders = [:]
        var body: Data?
        var credentials: Credentials?
        var readPolicy: CacheReadPolicy?
        var writePolicy: CacheWritePolicy?
        var retriesFailed = false
        var fallbacks: [URL] = []
        var lowResolution: URL?
        var targetSize: PixelSize?
        var region: PixelRectangle?
        var contentMode = DecodeTarget.ContentMode.fit
        var allowsUpscaling = false
        var cropAnchor = CropAnchor.center
        var roundsTargetSize = false
        var frames = DecodeRequest.Frames.all
        var convertsToSRGB = false
        var keepsMetadata = false
        var precision = Precision.exact
        var tags: Set<String> = []
        var timeToLive: Duration?
        var deadline: Duration?
        var transfer: TransferChoices?
        var confirming = Confirming()
        var isUnconditional = false
        var processing: ProcessingChain?
        /// The processors of the request whose input this request loads. The outer optional is nil for all other
        /// requests.
        var asked: ProcessingChain??
        var scale = ImageScale.factor(1)
        var isBehind = false
        /// Whether the cache key is invalid, so that nothing is found by it.
        var isImpossible = false
    }

    /// Everything that a request has besides its source and its priority.
    enum Choices: Sendable {
        case none
        /// Nothing but processors, in an object that the request shares with its keys.
        case processors(ProcessingChain)
        case options(OptionsBox)

        /// Whether both are the same object, and so equal without a comparison.
        func areSame(as other: Choices) -> Bool {
            switch (self, other) {
            case (.none, .none): true
            case (.processors(let one), .processors(let other)): one === other
            case (.options(let one), .options(let other)): one === other
            default: false
            }
        }
    }

    final class OptionsBox: Sendable {
        let values: Options
        let isPlainGET: Bool
        let variant: ImageVariant
        let directives: RequestDirectives
        let trustsCaches: Bool

        init(_ values: consuming Options) {
            directives = values.headers.isEmpty ? RequestDirectives() : RequestDirectives(values.headers)
            trustsCaches = (values.readPolicy ?? .http) == .http && directives.isEmpty
            var variant = ImageVariant.Values()
            let size = values.roundsTargetSize ? values.targetSize?.rounded(for: values.contentMode) : values.targetSize
            variant.target = (size ?? values.region?.size).map { size in
                DecodeTarget(
                    size, mode: values.contentMode,
                    allowsUpscaling: values.allowsUpscaling,
                    anchor: values.contentMode == .crop ? values.cropAnchor : .center, region: values.region)
            }
            variant.frames = values.frames
            variant.convertsToSRGB = values.convertsToSRGB
            variant.keepsMetadata = values.keepsMetadata
            variant.processing = values.processing
            if case .factor(let factor) = values.scale { variant.scale = factor }
            self.variant = ImageVariant(variant)
            // Most requests with options only set a size.
            isPlainGET =
                values.method == .get && values.headers.isEmpty && values.body == nil && values.credentials == nil
                && !values.isImpossible
            self.values = values
        }
    }

    /// Nil unless something besides processors is set.
    var box: OptionsBox? { if case .options(let box) = choices { box } else { nil } }

    var values: Options { box?.values ?? Options(processing: processing) }

    // Not inlined, so that Tasks that wait don't hold a copy of all options.
    @inline(never) mutating func change(_ edit: (inout Options) -> Void) {
        var values = values
        edit(&values)
        // Compared only if the options may be the defaults, because the comparison isn't cheap.
        let isDefault = values.processing == nil && values == Options()
        choices = isDefault ? .none : .options(OptionsBox(consume values))
    }
}
