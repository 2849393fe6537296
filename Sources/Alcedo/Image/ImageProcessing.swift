/// Makes a picture of another one: a blurred, a tinted, a cropped one.
///
/// A processor is a value. Its pixels depend on nothing but its parameters, the picture it is given and the context, so
/// that a result may be cached. Requests carry processors in ``ImageRequest/processors``.
///
/// ```swift
/// struct Sepia: ImageProcessing {
///     var strength = 1.0
///
///     func identify(in identity: inout ProcessorIdentity) {
///         identity.add(1)  // The version.
///         identity.add(strength)
///     }
///
///     func validate() throws(ImageLoaderError) {
///         guard (0...1).contains(strength) else {
///             throw .invalidProcessor("Sepia", parameter: "strength", value: "\(strength)")
///         }
///     }
///
///     func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
///         try picture.mapPixels(context) { pixel in
///             let (colors, alpha) = (SIMD4<Double>(pixel), Double(pixel.w))
///             let grey = (colors.x + colors.y + colors.z) / 3
///             let sepia = SIMD4(grey * 1.1, grey * 0.95, grey * 0.8, alpha)
///             let mixed = colors * (1 - strength) + sepia * strength
///             let limited = mixed.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: alpha))
///             return SIMD4<UInt8>(limited, rounding: .toNearestOrEven)
///         }
///     }
/// }
/// ```
public protocol ImageProcessing: Sendable {
    /// Adds every parameter that affects the pixels, in a fixed order. Add a version too, and change it with the
    /// algorithm: images on disk outlive the program that made them.
    ///
    /// The type is part of the identity already. On disk, its name stands for it, which private and local types don't
    /// have: what they make is only kept in memory.
    ///
    /// Called each time processors are set on a request, so it should cost no more than some nanoseconds.
    func identify(in identity: inout ProcessorIdentity)

    /// Makes the new picture. Called on a thread outside the cooperative pool.
    ///
    /// Long work should call ``ProcessingContext/checkCancellation()`` now and then.
    ///
    /// - Parameters:
    ///   - picture: The decoded picture, or what the processor before this one made: premultiplied, upright.
    ///   - context: The image that the picture belongs to, and whether anybody still waits for it.
    /// - Throws: An ``ImageLoaderError``, or any other error, which arrives as
    ///   ``ImageLoaderError/processingFailed(processor:_:)``.
    func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap

    /// The size of what ``process(_:_:)`` makes of a picture of this size. Default: the same size.
    ///
    /// For processors that change the size: that much memory is waited for, and what would exceed the limits even for a
    /// picture of one pixel is refused before anything is loaded. So is a crop that is larger than what the processors
    /// before it make of all pictures. A side below 1 counts as 1.
    func resultSize(of picture: PixelSize) -> PixelSize

    /// How to process an animation. Default: ``AnimationProcessing/eachFrame``.
    var animations: AnimationProcessing { get }

    /// Checks the parameters. Called before anything is loaded. By default, all are accepted.
    ///
    /// - Throws: ``ImageLoaderError/invalidProcessor(_:parameter:value:)``.
    func validate() throws(ImageLoaderError)
}

extension ImageProcessing {
    public func resultSize(of picture: PixelSize) -> PixelSize { picture }

    public var animations: AnimationProcessing { .eachFrame }

    public func validate() throws(ImageLoaderError) {}
}

/// The result of a processor for an animation.
public enum AnimationProcessing: Sendable, Hashable {
    /// Each frame is processed on its own, when it is decoded. All results must have the same size.
    case eachFrame
    /// The result is a still image, made of the first frame.
    case firstFrame
    /// Animations end the load with ``ImageLoaderError/unsupportedImage(_:reason:)``.
    case refused
}
