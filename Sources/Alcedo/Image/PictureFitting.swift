/// The steps applied to stored pixels before they are handed out: scale, turn upright, crop, and convert colours.
struct PictureFitting: Sendable {
    let orientation: Orientation
    /// Width and height of the picture as handed out, but before scaling.
    let original: PixelSize
    /// The colour conversion, applied last; nil keeps the colours.
    var color: ColorConversion?
    private var plan: DecodeTarget.Plan?
    private let limits: DecodeLimits

    init(_ header: ImageHeader, _ request: DecodeRequest) {
        orientation = request.appliesOrientation ? header.orientation : .up
        original = request.appliesOrientation ? header.uprightSize : header.size
        plan = request.target?.plan(for: original)
        limits = request.limits
    }

    /// The size to scale the stored pixels to; nil keeps their size.
    var storedSize: PixelSize? { plan.map { orientation.swapsSides ? $0.size.turned : $0.size } }

    /// Width and height of the picture as handed out.
    var size: PixelSize { plan?.part ?? original }

    /// See ``DecodeLimits/animationBufferBytes``.
    var animationBufferBytes: Int { limits.animationBufferBytes }

    /// Whether no step applies.
    var isEmpty: Bool { orientation == .up && keepsSizeAndColors }

    /// Whether turning the picture upright is the only step, at most.
    var keepsSizeAndColors: Bool { color == nil && (plan.map { $0.isWhole && $0.size == original } ?? true) }

    /// The first picture decides which part is shown of all, unless that is known before.
    ///
    /// - Parameter reduction: how many pixels of the file each pixel of `stored` covers in each dimension.
    mutating func apply(to stored: Bitmap, reducedBy reduction: Int = 1) throws(ImageLoaderError) -> Bitmap {
        var bitmap = stored
        // Scaled before it is turned: then there are fewer pixels to turn.
        if let storedSize {
            // Without a reduction, all pixels cover the same area.
            let whole = reduction == 1 ? nil : orientation.swapsSides ? original.turned : original
            bitmap = try bitmap.scaled(to: storedSize, from: whole, dividedBy: reduction, limits: limits)
        }
        bitmap = try bitmap.upright(from: orientation, limits: limits)
        if var plan, !plan.isWhole {
            if plan.isOpen {
                (plan.x, plan.y) = try CropAnchor.attention.place(plan.part, in: bitmap)
                plan.isOpen = false
                self.plan = plan
            }
            bitmap = try bitmap.cropped(plan, limits: limits)
        }
        return try color?.apply(to: bitmap, limits: limits) ?? bitmap
    }
}
