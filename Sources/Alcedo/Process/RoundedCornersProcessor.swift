/// A processor that rounds the corners of an image. Create it with
/// ``ImageProcessing/roundedCorners(radius:corners:border:)``.
public struct RoundedCornersProcessor: ImageProcessing, Hashable {
    /// The radius of corners. If corners don't fit side by side, all radii are reduced by the same factor.
    public enum Radius: Sendable, Hashable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
        /// In pixels, from 0 to 32,767. Literals are pixels.
        case pixels(Double)
        /// As a fraction of the image's shorter side, from 0 to 1. From 0.5 on, the shorter sides are half circles.
        case fraction(Double)

        /// Creates a radius in pixels.
        public init(integerLiteral value: Int) { self = .pixels(Double(value)) }

        /// Creates a radius in pixels.
        public init(floatLiteral value: Double) { self = .pixels(value) }
    }

    /// A set of an image's corners.
    public struct Corners: OptionSet, Sendable, Hashable {
        /// A bit for each corner.
        public let rawValue: Int

        /// Creates a set. Bits that don't stand for a corner are rejected when the processor is used.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The top left corner.
        public static let topLeft = Corners(rawValue: 1)
        /// The top right corner.
        public static let topRight = Corners(rawValue: 2)
        /// The bottom left corner.
        public static let bottomLeft = Corners(rawValue: 4)
        /// The bottom right corner.
        public static let bottomRight = Corners(rawValue: 8)
        /// All four corners.
        public static let all: Corners = [.topLeft, .topRight, .bottomLeft, .bottomRight]
    }

    /// The corners' radius.
    public let radius: Radius
    /// The corners that are rounded.
    public let corners: Corners
    /// The border inside the edge; nil for none.
    public let border: PixelBorder?

    /// Creates a processor.
    public init(radius: Radius, corners: Corners = .all, border: PixelBorder? = nil) {
        (self.radius, self.corners, self.border) = (radius, corners, border)
    }

    public func identify(in identity: inout ProcessorIdentity) {
        switch radius {
        case .pixels(let value):
            identity.add(false)
            identity.add(value)
        case .fraction(let value):
            identity.add(true)
            identity.add(value)
        }
        identity.add(corners.rawValue)
        identity.add(border)
    }

    public func validate() throws(ImageLoaderError) {
        switch radius {
        case .pixels(let value): try require("radius", value, in: 0...longestDistance)
        case .fraction(let value): try require("radius", value, in: 0...1)
        }
        guard Corners.all.isSuperset(of: corners) else { throw invalid("corners", corners.rawValue) }
        try require(border)
    }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try validate()
        let pixels =
            switch radius {
            case .pixels(let value): value
            case .fraction(let value): value * Double(min(image.size.width, image.size.height))
            }
        guard pixels > 0 && !corners.isEmpty || border.map({ $0.width > 0 }) ?? false else { return image }
        func length(_ corner: Corners) -> Double { corners.contains(corner) ? pixels : 0 }
        let radii = SIMD4(length(.topLeft), length(.topRight), length(.bottomLeft), length(.bottomRight))
        return try image.shaped(
            PixelRectangle(x: 0, y: 0, size: image.size), radii: radii, border, context)
    }
}

extension ImageProcessing where Self == RoundedCornersProcessor {
    /// Rounds corners, and makes the image transparent outside them.
    ///
    /// - Parameters:
    ///   - radius: The radius, in ``RoundedCornersProcessor/Radius/pixels(_:)`` or as a
    ///     ``RoundedCornersProcessor/Radius/fraction(_:)``; literals are pixels.
    ///   - corners: The corners to round. Default: all.
    ///   - border: A border inside the edge. Default: none.
    public static func roundedCorners(
        radius: RoundedCornersProcessor.Radius, corners: RoundedCornersProcessor.Corners = .all,
        border: PixelBorder? = nil
    ) -> RoundedCornersProcessor {
        RoundedCornersProcessor(radius: radius, corners: corners, border: border)
    }
}
