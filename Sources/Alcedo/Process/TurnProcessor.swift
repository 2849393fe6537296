/// Turns or mirrors a picture. Made with ``ImageProcessing/rotate(_:)`` or ``ImageProcessing/flip(_:)``.
public struct TurnProcessor: ImageProcessing, Hashable {
    /// A turn by quarters.
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

    /// Creates a processor that turns pictures.
    public init(_ rotation: Rotation) {
        orientation =
            switch rotation {
            case .clockwise: .right
            case .half: .down
            case .counterclockwise: .left
            }
    }

    /// Creates a processor that mirrors pictures.
    public init(_ axis: Axis) { orientation = axis == .horizontal ? .upMirrored : .downMirrored }

    public func identify(in identity: inout ProcessorIdentity) { identity.add(Int(orientation.rawValue)) }

    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try picture.upright(from: orientation, limits: context.limits, context.cancellation)
    }

    public func resultSize(of picture: PixelSize) -> PixelSize {
        orientation.swapsSides ? PixelSize(width: picture.height, height: picture.width) : picture
    }
}

extension ImageProcessing where Self == TurnProcessor {
    /// Turns the picture by quarters.
    public static func rotate(_ rotation: TurnProcessor.Rotation) -> TurnProcessor { TurnProcessor(rotation) }

    /// Mirrors the picture.
    public static func flip(_ axis: TurnProcessor.Axis) -> TurnProcessor { TurnProcessor(axis) }
}
