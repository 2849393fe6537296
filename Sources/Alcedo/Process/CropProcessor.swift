/// A processor that cuts a part out of an image. Create it with ``ImageProcessing/crop(to:)`` or
/// ``ImageProcessing/crop(to:at:)``.
public struct CropProcessor: ImageProcessing, Hashable {
    /// The part to cut out.
    public enum Part: Sendable, Hashable {
        /// A rectangle.
        case rectangle(PixelRectangle)
        /// A size, at an anchor in the image.
        case anchored(PixelSize, CropAnchor)
    }

    /// The part to cut out.
    public let part: Part

    /// Creates a processor.
    public init(_ part: Part) { self.part = part }

    public func identify(in identity: inout ProcessorIdentity) {
        switch part {
        case .rectangle(let rectangle):
            identity.add(false)
            identity.add(rectangle.x)
            identity.add(rectangle.y)
            identity.add(rectangle.size)
        case .anchored(let size, let anchor):
            identity.add(true)
            identity.add(size)
            identity.add(anchor.text)
        }
    }

    public func validate() throws(ImageLoaderError) {
        switch part {
        case .rectangle(let rectangle):
            try require("rectangle", rectangle.size)
            guard rectangle.x >= 0, rectangle.y >= 0 else { throw invalid("rectangle", rectangle) }
        case .anchored(let size, let anchor):
            try require("size", size)
            guard anchor.isValid else { throw invalid("anchor", anchor.text) }
        }
    }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let rectangle = try rectangle(in: image.size)
        guard rectangle.size != image.size else { return image }
        var plan = DecodeTarget.Plan(size: image.size, x: rectangle.x, y: rectangle.y, part: rectangle.size)
        if case .anchored(let size, let anchor) = part { (plan.x, plan.y) = try anchor.place(size, in: image) }
        return try image.cropped(plan, limits: context.limits)
    }

    public func resultSize(of image: PixelSize) -> PixelSize {
        switch part {
        case .rectangle(let rectangle): rectangle.size
        case .anchored(let size, _): size
        }
    }

    /// The part to cut out of an image of this size; at the upper left if its place depends on the pixels.
    func rectangle(in size: PixelSize) throws(ImageLoaderError) -> PixelRectangle {
        switch part {
        case .rectangle(let part):
            // These differences can't overflow, because all numbers are positive.
            guard part.size.width <= size.width - part.x, part.size.height <= size.height - part.y else {
                throw invalid("rectangle", "\(part), outside of \(size)")
            }
            return part
        case .anchored(let part, let anchor):
            guard part.width <= size.width, part.height <= size.height else {
                throw invalid("size", "\(part), larger than \(size)")
            }
            let (x, y) = anchor.place(part, in: size) ?? (0, 0)
            return PixelRectangle(x: x, y: y, size: part)
        }
    }
}

extension CropProcessor: FirstFrameDeciding {
    func decided(on first: Bitmap) throws(ImageLoaderError) -> any ImageProcessing {
        guard case .anchored(let size, .attention) = part else { return self }
        let (x, y) = try CropAnchor.attention.place(size, in: first)
        return CropProcessor(.rectangle(PixelRectangle(x: x, y: y, size: size)))
    }
}

extension ImageProcessing where Self == CropProcessor {
    /// Cuts a rectangle out of the image.
    ///
    /// - Parameter rectangle: The rectangle in pixels. A rectangle that isn't within the image ends the load with
    ///   ``ImageLoaderError/invalidProcessor(_:parameter:value:)``.
    public static func crop(to rectangle: PixelRectangle) -> CropProcessor { CropProcessor(.rectangle(rectangle)) }

    /// Cuts a part of this size out of the image.
    ///
    /// - Parameters:
    ///   - size: The size in pixels. A size larger than the image ends the load with
    ///     ``ImageLoaderError/invalidProcessor(_:parameter:value:)``.
    ///   - anchor: The place of the part. Default: the middle.
    public static func crop(to size: PixelSize, at anchor: CropAnchor = .center) -> CropProcessor {
        CropProcessor(.anchored(size, anchor))
    }
}
