/// The size, frames and colours of an image made from certain bytes.
package struct ImageVariant: Hashable, Sendable {
    /// The size it is scaled to; nil doesn't scale it.
    package var target: DecodeTarget?
    package var frames = DecodeRequest.Frames.all
    package var convertsToSRGB = false
    /// See ``KeyScope/decoding``.
    private(set) var decoding: UInt64 = 0
    /// One reference, because keys are copied on the path of a hit. Nil for the defaults.
    private var rest: Rest?

    private final class Rest: Sendable, Hashable {
        let processing: ProcessingChain?
        let scale: Double

        init?(_ processing: ProcessingChain?, _ scale: Double) {
            if processing == nil, scale == 1 { return nil }
            self.processing = processing
            self.scale = scale
        }

        static func == (one: Rest, other: Rest) -> Bool {
            one === other || one.scale == other.scale && one.processing == other.processing
        }

        func hash(into hasher: inout Hasher) { hasher.combine(processing) }
    }

    /// What is made of the decoded image; nil leaves it as it is.
    package var processing: ProcessingChain? {
        get { rest?.processing }
        set { rest = Rest(newValue, scale) }
    }

    /// See ``ImageRequest/scale``.
    package var scale: Double {
        get { rest?.scale ?? 1 }
        set { rest = Rest(processing, newValue) }
    }

    /// The image as it is.
    package init() {}

    init(in scope: borrowing KeyScope) {
        decoding = scope.decoding
        if let common = scope.processing { processing = common }
    }

    init(_ request: borrowing ImageRequest, in scope: borrowing KeyScope = KeyScope()) {
        self = request.variant
        decoding = scope.decoding
        if request.scale == .fromName { self.scale = request.url?.scaleInName ?? 1 }
        if let common = scope.processing, !request.hasCommonProcessors {
            processing = processing?.after(common) ?? common
        }
    }

    package init(fitting size: PixelSize?) { target = size.map { DecodeTarget($0) } }

    /// Whether an image of this variant can stand in for `asked`: it is of the same kind, and at least as large in both
    /// directions. A cropped image never can.
    func serves(_ asked: ImageVariant) -> Bool {
        guard frames == asked.frames, convertsToSRGB == asked.convertsToSRGB, decoding == asked.decoding,
            scale == asked.scale, processing == nil, asked.processing == nil, let other = asked.target
        else { return false }
        // The original may be smaller than an image that is scaled up.
        guard let target else { return other.mode != .crop && !other.allowsUpscaling }
        return target.mode == other.mode && target.mode != .crop && target.allowsUpscaling == other.allowsUpscaling
            && target.size.width >= other.size.width && target.size.height >= other.size.height
    }

    /// Whether the image is scaled or processed, and may be stored on disk beside the original's bytes.
    var isMade: Bool { target != nil || processing != nil }

    /// Distinguishes a scaled or processed image on disk from the original's bytes. Empty if the image is neither.
    var text: String {
        guard isMade else { return "" }
        return (target.map(Self.text(of:)) ?? "original size")
            + (frames == .first ? " first frame" : "") + (convertsToSRGB ? " in sRGB" : "")
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
    }
}

extension PixelSize {
    /// The nearest size that similar targets share. These sizes are 8 pixels or about a sixteenth apart.
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
