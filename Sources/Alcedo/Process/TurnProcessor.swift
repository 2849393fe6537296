/// A processor that turns or mirrors an image. Create it with ``ImageProcessing/rotate(_:)`` or
/// ``ImageProcessing/flip(_:)``.
public struct TurnProcessor: ImageProcessing, Hashable {
    /// A rotation by a multiple of 90 degrees.
    public enum Rotation: String, Sendable, Hashable, CaseIterable {
        /// By 90 degrees. Width and height are swapped.
        case clockwise
        /// By 180 degrees.
        case half
        /// By 270 degrees clockwise. Width and height are swapped.
        case counterclockwise
    }

    /// The sides that a flip exchanges.
    public enum Axis: String, Sendable, Hashable, CaseIterable {
        /// Left and right.
        case horizontal
        /// Top and bottom.
        case vertical
    }

    private let orientation: Orientation

    /// Creates a processor that turns images.
    public init(_ rotation: Rotation) {
        orientation =
            switch rotation {
            case .clockwise: .right
            case .half: .down
            case .counterclockwise: .left
            }
    }

    /// Creates a processor that mirrors images.
    public init(_ axis: Axis) { orientation = axis == .horizontal ? .upMirrored : .downMirrored }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(Int(orientation.rawValue)) }

    public func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try image.upright(from: orientation, limits: context.limits, context.cancellation)
    }

    public func resultSize(of image: PixelSize) -> PixelSize {
        orientation.swapsSides ? PixelSize(width: image.height, height: image.width) : image
    }
}

extension ImageProcessing where Self == TurnProcessor {
    /// Turns the image by a multiple of 90 degrees.
    public static func rotate(_ rotation: TurnProcessor.Rotation) -> TurnProcessor { TurnProcessor(rotation) }

    /// Mirrors the image.
    public static func flip(_ axis: TurnProcessor.Axis) -> TurnProcessor { TurnProcessor(axis) }
}
