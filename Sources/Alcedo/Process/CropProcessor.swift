/// Cuts a part out of a picture. Made with ``ImageProcessing/crop(to:)`` or ``ImageProcessing/crop(to:at:)``.
public struct CropProcessor: ImageProcessing, Hashable {
    /// The part to cut out.
    public enum Part: Sendable, Hashable {
        /// A rectangle.
        case rectangle(PixelRectangle)
        /// A size, at an anchor in the picture.
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

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let rectangle = try rectangle(in: picture.size)
        guard rectangle.size != picture.size else { return picture }
        var plan = DecodeTarget.Plan(size: picture.size, x: rectangle.x, y: rectangle.y, part: rectangle.size)
        if case .anchored(let size, let anchor) = part { (plan.x, plan.y) = try anchor.place(size, in: picture) }
        return try picture.cropped(plan, limits: context.limits)
    }

    public func resultSize(of picture: PixelSize) -> PixelSize {
        switch part {
        case .rectangle(let rectangle): rectangle.size
        case .anchored(let size, _): size
        }
    }

    /// The part, which lies within the picture; at the upper left if the pixels decide where.
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
    /// Cuts a rectangle out of the picture.
    ///
    /// - Parameter rectangle: In pixels. A rectangle that isn't within the picture ends the load with
    ///   ``ImageLoaderError/invalidProcessor(_:parameter:value:)``.
    public static func crop(to rectangle: PixelRectangle) -> CropProcessor { CropProcessor(.rectangle(rectangle)) }

    /// Cuts a part of this size out of the picture.
    ///
    /// - Parameters:
    ///   - size: In pixels. A size larger than the picture ends the load with
    ///     ``ImageLoaderError/invalidProcessor(_:parameter:value:)``.
    ///   - anchor: Where the part lies. Default: in the middle.
    public static func crop(to size: PixelSize, at anchor: CropAnchor = .center) -> CropProcessor {
        CropProcessor(.anchored(size, anchor))
    }
}
