/// The form of an image made from given bytes: its size, frames, colors, scale and processors.
package struct ImageVariant: Hashable, Sendable {
    struct Values: Hashable, Sendable {
        /// The size to scale the image to; nil doesn't scale it.
        var target: DecodeTarget?
        var frames = DecodeRequest.Frames.all
        var convertsToSRGB = false
        var keepsMetadata = false
        /// See ``ImageRequest/scale``.
        var scale = 1.0
        /// The processors of the decoded image; nil leaves it as it is.
        var processing: ProcessingChain?
    }

    private final class Box: Sendable {
        let values: Values
        let hash: UInt64

        init(_ values: consuming Values) {
            var hash = values.processing?.hash ?? 0
            if let size = values.target?.size {
                let (width, height) = (UInt64(truncatingIfNeeded: size.width), UInt64(truncatingIfNeeded: size.height))
                hash ^= width &* 0x9E37_79B1 &+ height &* 0x85EB_CA77
            }
            self.hash = hash
            self.values = values
        }
    }

    /// At most one reference, because keys are copied and compared on the path of a hit.
    private enum Content {
        case original
        /// Nothing but processors: the chain itself, so that the key of a request with only processors needs no object
        /// of its own.
        case processed(ProcessingChain)
        case other(Box)

        init(_ values: consuming Values) {
            if values == Values() {
                self = .original
            } else if let chain = values.processing, values == Values(processing: chain) {
                self = .processed(chain)
            } else {
                self = .other(Box(values))
            }
        }

        @inline(never) static func areEqual(_ one: Content, _ other: Content) -> Bool {
            switch (one, other) {
            case (.processed(let one), .processed(let other)): one == other
            case (.other(let one), .other(let other)):
                one === other || one.hash == other.hash && one.values == other.values
            default: false
            }
        }
    }

    private var content = Content.original
    /// Identifies decoders that make different images from the same bytes; 0 for the built-in ones.
    private(set) var decoding: UInt64 = 0

    private var box: Box? { if case .other(let box) = content { box } else { nil } }
    private var values: Values { box?.values ?? Values(processing: processing) }

    package var target: DecodeTarget? { box?.values.target }
    package var frames: DecodeRequest.Frames { box?.values.frames ?? .all }
    package var convertsToSRGB: Bool { box?.values.convertsToSRGB ?? false }
    package var keepsMetadata: Bool { box?.values.keepsMetadata ?? false }
    package var scale: Double { box?.values.scale ?? 1 }
    package var processing: ProcessingChain? {
        switch content {
        case .original: nil
        case .processed(let chain): chain
        case .other(let box): box.values.processing
        }
    }

    /// The original image.
    package init() {}

    init(decoding: UInt64, _ processing: ProcessingChain?) {
        content = processing.map { .processed($0) } ?? .original
        self.decoding = decoding
    }

    init(_ processing: ProcessingChain) { content = .processed(processing) }

    init(_ values: consuming Values) { content = Content(values) }

    init(_ request: borrowing ImageRequest, in scope: borrowing KeyScope = KeyScope()) {
        self = request.variant
        decoding = scope.variant.decoding
        let common = request.hasCommonProcessors ? nil : scope.variant.processing
        if common != nil || request.scale == .fromName { add(common, request) }
    }

    @inline(never) private mutating func add(_ common: ProcessingChain?, _ request: borrowing ImageRequest) {
        change {
            if request.scale == .fromName { $0.scale = request.url?.scaleInName ?? 1 }
            if let common { $0.processing = $0.processing?.after(common) ?? common }
        }
    }

    package init(fitting size: PixelSize?) { self.init(Values(target: size.map { DecodeTarget($0) })) }

    /// Changes the values.
    mutating func change(_ edit: (inout Values) -> Void) {
        var values = values
        edit(&values)
        content = Content(values)
    }

    package static func == (one: ImageVariant, other: ImageVariant) -> Bool {
        guard one.decoding == other.decoding else { return false }
        if case (.original, .original) = (one.content, other.content) { return true }
        return Content.areEqual(one.content, other.content)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(prehash) }

    /// The hash of the size and the processors.
    var prehash: UInt64 {
        switch content {
        case .original: 0
        case .processed(let chain): chain.hash
        case .other(let box): box.hash
        }
    }

    /// Whether an image of this variant can stand in for `asked`: it is of the same kind, and at least as large in both
    /// directions. A cropped image never can.
    func serves(_ asked: ImageVariant) -> Bool {
        guard frames == asked.frames, convertsToSRGB == asked.convertsToSRGB, decoding == asked.decoding,
            scale == asked.scale, keepsMetadata == asked.keepsMetadata, processing == nil, asked.processing == nil,
            let other = asked.target
        else { return false }
        // The original may be smaller than an image that is scaled up.
        guard let target else { return other.mode != .crop && !other.allowsUpscaling && other.region == nil }
        return target.mode == other.mode && target.mode != .crop && target.region == other.region
            && target.allowsUpscaling == other.allowsUpscaling
            && target.size.width >= other.size.width && target.size.height >= other.size.height
    }

    /// Whether the image is scaled or processed, and may be stored on disk beside the original's bytes.
    var isMade: Bool { target != nil || processing != nil }

    /// Whether the scaled or processed image is worth storing: other processes find it again, and a file can hold all
    /// of it.
    var isFoundAgain: Bool { isMade && !keepsMetadata && processing?.isFoundAgain != false }

    /// Distinguishes a scaled or processed image on disk from the original's bytes. Empty if the image is neither.
    var text: String { isMade ? wholeText : "" }

    /// Distinguishes the image from all others of the resource.
    var wholeText: String {
        (target.map(Self.text(of:)) ?? "original size")
            + (frames == .first ? " first frame" : "") + (convertsToSRGB ? " in sRGB" : "")
            + (keepsMetadata ? " with metadata" : "")
            + (decoding == 0 ? "" : " by \(String(decoding, radix: 16))")
            + (processing.map { " then \($0.text)" + (scale == 1 ? "" : " at \(scale)") } ?? "")
    }

    private static func text(of target: DecodeTarget) -> String {
        let verb =
            switch target.mode {
            case .fit: "fitting"
            case .fill: "filling"
            case .crop: "cropped to"
            }
        return "\(verb) \(target.size.width)x\(target.size.height)" + (target.allowsUpscaling ? " upscaled" : "")
            + (target.anchor == .center ? "" : " at \(target.anchor.text)")
            + (target.region.map { " of \($0.size.width)x\($0.size.height)+\($0.x)+\($0.y)" } ?? "")
    }
}

extension PixelSize {
    /// Returns the nearest of the sizes that similar targets share. These sizes are 8 pixels or about a sixteenth
    /// apart.
    ///
    /// Rounds down for an image that has to fit, and up for one that has to fill. Sides below 1, which are refused, and
    /// sides below 8 that would round down to 0 don't change.
    func rounded(for mode: DecodeTarget.ContentMode) -> PixelSize {
        func rounded(_ side: Int) -> Int {
            if side < 1 { return side }
            let side = min(side, 1 << 24)
            let step = max(8, 1 << (side.bitWidth - 1 - side.leadingZeroBitCount - 4))
            if mode == .fit { return side < step ? side : side / step * step }
            return (side + step - 1) / step * step
        }
        return PixelSize(width: rounded(width), height: rounded(height))
    }
}
