/// The steps applied to stored pixels before they are handed out: cut out the region, scale it, turn it upright, crop
/// it, and convert colors.
struct PictureFitting: Sendable {
    let orientation: Orientation
    /// Width and height of the image as handed out, but before scaling.
    let original: PixelSize
    /// The part of the stored pixels that is shown; nil for all.
    let region: PixelRectangle?
    /// The color conversion, applied last; nil keeps the colors.
    var color: ColorConversion?
    private var plan: DecodeTarget.Plan?
    private let limits: DecodeLimits

    init(_ header: ImageHeader, _ request: DecodeRequest) {
        orientation = request.appliesOrientation ? header.orientation : .up
        original = request.appliesOrientation ? header.uprightSize : header.size
        region = request.storedRegion(header)
        plan = request.target?.plan(for: original)
        limits = request.limits
    }

    /// The size to scale the stored pixels to, or their region; nil keeps their size.
    var storedSize: PixelSize? { plan.map { orientation.swapsSides ? $0.size.turned : $0.size } }

    /// The size that all stored pixels may be scaled to while they are decoded; nil keeps their size, as a region
    /// requires.
    var wholeSize: PixelSize? { region == nil ? storedSize : nil }

    /// The part of the pixels that is kept while rows are decoded from the top, and the size that it is scaled to; nil
    /// if all pixels are kept.
    ///
    /// - Parameter least: the size that all pixels may be scaled to, nil to keep theirs.
    func streamedPart(
        of whole: PixelSize, atLeast least: PixelSize?
    ) -> (region: PixelRectangle, size: PixelSize)? {
        let kept = region ?? PixelRectangle(x: 0, y: 0, size: whole)
        guard let size = region == nil ? least : storedSize, size.width <= kept.size.width,
            size.height <= kept.size.height
        else { return region.map { ($0, $0.size) } }
        return size == whole ? nil : (kept, size)
    }

    /// Width and height of the image as handed out.
    var size: PixelSize { plan?.part ?? original }

    /// See ``DecodeLimits/animationBufferBytes``.
    var animationBufferBytes: Int { limits.animationBufferBytes }

    /// Whether no step applies.
    var isEmpty: Bool { orientation == .up && keepsSizeAndColors }

    /// Whether no step applies, except perhaps turning the image upright.
    var keepsSizeAndColors: Bool {
        color == nil && region == nil && (plan.map { $0.isWhole && $0.size == original } ?? true)
    }

    /// Applies all steps. The first image decides which part of all frames is shown, unless that is already known.
    ///
    /// - Parameters:
    ///   - reduction: how many pixels of the file each pixel of `stored` covers in each dimension.
    ///   - part: the pixels of the file that `stored` covers, nil for all. It begins at multiples of `reduction`.
    mutating func apply(
        to stored: Bitmap, reducedBy reduction: Int = 1, covering part: PixelRectangle? = nil
    ) throws(ImageLoaderError) -> Bitmap {
        // Scales before turning, so that fewer pixels have to be turned.
        var bitmap = try regionAtItsSize(of: stored, reduction, part)
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

    private func regionAtItsSize(
        of stored: Bitmap, _ reduction: Int, _ part: PixelRectangle?
    ) throws(ImageLoaderError) -> Bitmap {
        guard let region else {
            // Without a reduction, all pixels cover the same area.
            let whole = reduction == 1 ? nil : orientation.swapsSides ? original.turned : original
            return try storedSize.map { (size) throws(ImageLoaderError) in
                try stored.scaled(to: size, from: whole, dividedBy: reduction, limits: limits)
            } ?? stored
        }
        // The region may have been scaled while it was decoded.
        if part == region, stored.size == storedSize { return stored }
        let place = (x: region.x - (part?.x ?? 0), y: region.y - (part?.y ?? 0))
        let covered = PixelSize(
            width: stored.size.width.multiplied(by: reduction), height: stored.size.height.multiplied(by: reduction))
        guard place.x >= 0, place.y >= 0, place.x + region.size.width <= covered.width,
            place.y + region.size.height <= covered.height
        else { throw .unsupportedConfiguration("a decoder that leaves out pixels of the region") }
        let columns = place.x / reduction..<(place.x + region.size.width + reduction - 1) / reduction
        let rows = place.y / reduction..<(place.y + region.size.height + reduction - 1) / reduction
        let cut = try stored.part(PixelRectangle(columns, rows))
        guard let size = storedSize else { return cut }
        return try cut.scaled(
            to: size, from: reduction == 1 ? nil : region.size, dividedBy: reduction,
            at: (place.x % reduction, place.y % reduction), limits: limits)
    }
}
