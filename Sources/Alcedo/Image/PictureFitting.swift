/// What is done to pixels as a file stores them before they are handed out: scaled, turned upright and cut.
struct PictureFitting: Sendable {
    let orientation: Orientation
    /// Width and height of the picture before it is scaled, as it is handed out.
    let original: PixelSize
    /// What is done to its colours, last of all; nil leaves them.
    var color: ColorConversion?
    private let plan: DecodeTarget.Plan?
    private let limits: DecodeLimits

    init(_ header: ImageHeader, _ request: DecodeRequest) {
        orientation = request.appliesOrientation ? header.orientation : .up
        original = request.appliesOrientation ? header.uprightSize : header.size
        plan = request.target?.plan(for: original)
        limits = request.limits
    }

    /// The size that the stored pixels are scaled to; nil when they are left as they are.
    var storedSize: PixelSize? {
        plan.map { orientation.swapsSides ? $0.size.turned : $0.size }
    }

    /// Width and height of the picture as it is handed out.
    var size: PixelSize { plan?.part ?? original }

    /// See ``DecodeLimits/animationBufferBytes``.
    var animationBufferBytes: Int { limits.animationBufferBytes }

    /// Whether nothing is done.
    var isEmpty: Bool { orientation == .up && keepsSizeAndColors }

    /// Whether nothing is done but to turn it upright.
    var keepsSizeAndColors: Bool { color == nil && (plan.map { $0.isWhole && $0.size == original } ?? true) }

    /// - Parameter reduction: how many pixels of the file each one of `stored` stands for, either way.
    func apply(to stored: Bitmap, reducedBy reduction: Int = 1) throws(ImageLoaderError) -> Bitmap {
        var bitmap = stored
        // Turned last but one: it is small then.
        if let storedSize {
            // A picture that is scaled otherwise lies evenly in its pixels.
            let whole = reduction == 1 ? nil : orientation.swapsSides ? original.turned : original
            bitmap = try bitmap.scaled(to: storedSize, from: whole, dividedBy: reduction, limits: limits)
        }
        bitmap = try bitmap.upright(from: orientation, limits: limits)
        if let plan, !plan.isWhole { bitmap = try bitmap.cropped(plan, limits: limits) }
        return try color?.apply(to: bitmap, limits: limits) ?? bitmap
    }
}
